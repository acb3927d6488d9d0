import CambiumModel

/// How the key table follows the root entities. A key that was given once is never given again.
struct KeyTablePlan {
    let match: ModelMatch

    /// The statements, once no old table is needed any more.
    var statements: [String] {
        let oldRoots = match.oldRoots
        var uses: [String: Int] = [:]
        for name in oldRoots.values.joined() { uses[name, default: 0] += 1 }
        let isOneToOne =
            oldRoots.values.allSatisfy { $0.count <= 1 } && uses.values.allSatisfy { $0 == 1 }
        return isOneToOne ? renames(oldRoots) : sums(oldRoots)
    }

    /// Each root was one root at most.
    private func renames(_ oldRoots: [String: [String]]) -> [String] {
        let used = Set(oldRoots.values.joined())
        var first = match.old.roots.map(\.name).filter { !used.contains($0) }.map(deletion)
        var last: [String] = []
        for root in match.new.roots.map(\.name) {
            guard let oldRoot = oldRoots[root]?.first else {
                last.append(insertion(root))
                continue
            }
            guard oldRoot != root else { continue }
            // By way of a name that no entity has, because two entities may exchange theirs.
            first.append(
                "UPDATE \"_keys\" SET \"entity\" = \(temporary(root)) "
                    + "WHERE \"entity\" = \(literal(oldRoot))")
            last.append(rename(root))
        }
        return first + last
    }

    /// The objects of several roots come together, or those of one part.
    private func sums(_ oldRoots: [String: [String]]) -> [String] {
        let roots = match.new.roots.map(\.name)
        let entries = roots.map { root in
            let names = oldRoots[root] ?? []
            let next = names.isEmpty ? "1" : "1 + \(ModelMatch.keyCount(of: names))"
            return
                "INSERT INTO \"_keys\" (\"entity\", \"next\") VALUES (\(temporary(root)), \(next))"
        }
        return entries + match.old.roots.map { deletion($0.name) } + roots.map(rename)
    }

    private func insertion(_ root: String) -> String {
        "INSERT INTO \"_keys\" (\"entity\", \"next\") VALUES (\(literal(root)), 1)"
    }

    private func deletion(_ root: String) -> String {
        "DELETE FROM \"_keys\" WHERE \"entity\" = \(literal(root))"
    }

    private func rename(_ root: String) -> String {
        "UPDATE \"_keys\" SET \"entity\" = \(literal(root)) WHERE \"entity\" = \(temporary(root))"
    }

    private func temporary(_ root: String) -> String { literal("_new_" + root) }

    private func literal(_ text: String) -> String {
        SQLText.literal(.text(text))
    }
}
