import CambiumPlan

/// How the key table follows the root entities. A key that was given once is never given again.
struct KeyTablePlan {
    let match: ModelMatch

    /// The statements, once no old table is needed any more.
    var statements: [MigrationStatement] {
        let oldRoots = match.oldRoots
        var uses: [String: Int] = [:]
        for name in oldRoots.values.joined() { uses[name, default: 0] += 1 }
        let isOneToOne =
            oldRoots.values.allSatisfy { $0.count <= 1 } && uses.values.allSatisfy { $0 == 1 }
        return isOneToOne ? renames(oldRoots) : sums(oldRoots)
    }

    /// Each root was one root at most.
    private func renames(_ oldRoots: [String: [String]]) -> [MigrationStatement] {
        let used = Set(oldRoots.values.joined())
        var first = match.old.roots.map(\.name).filter { !used.contains($0) }.map(deletion)
        var last: [MigrationStatement] = []
        for root in match.new.roots.map(\.name) {
            guard let oldRoot = oldRoots[root]?.first else {
                last.append(insertion(SQLText.literal(root), "1"))
                continue
            }
            guard oldRoot != root else { continue }
            // By way of a name that no entity has, because two entities may exchange theirs.
            first.append(rename(SQLText.literal(oldRoot), to: temporary(root)))
            last.append(rename(temporary(root), to: SQLText.literal(root)))
        }
        return first + last
    }

    /// The objects of several roots come together, or those of one part.
    private func sums(_ oldRoots: [String: [String]]) -> [MigrationStatement] {
        let roots = match.new.roots.map(\.name)
        let entries = roots.map { root in
            let names = oldRoots[root] ?? []
            let next = names.isEmpty ? "1" : "1 + \(ModelMatch.keyCount(of: names))"
            return insertion(temporary(root), next)
        }
        return entries + match.old.roots.map { deletion($0.name) }
            + roots.map { rename(temporary($0), to: SQLText.literal($0)) }
    }

    private func insertion(_ root: String, _ next: String) -> MigrationStatement {
        .insert(into: KeySQL.table, "(\"entity\", \"next\") VALUES (\(root), \(next))")
    }

    private func deletion(_ root: String) -> MigrationStatement {
        .delete(from: KeySQL.table, where: "\"entity\" = \(SQLText.literal(root))")
    }

    private func rename(_ root: String, to name: String) -> MigrationStatement {
        .update(KeySQL.table, set: "\"entity\" = \(name)", where: "\"entity\" = \(root)")
    }

    private func temporary(_ root: String) -> String { SQLText.literal("_new_" + root) }
}
