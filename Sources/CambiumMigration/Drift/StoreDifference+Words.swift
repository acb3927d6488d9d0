import CambiumSQL

extension StoreDifference {
    var isIndex: Bool { TableIndex.mayBeOurs(name) }

    /// Whether a table, or a column of one, is gone.
    var isMissingSomeTable: Bool {
        (kind == .missing && !isIndex) || parts.contains { $0.kind == .missing && $0.isColumn }
    }
}

extension [StoreDifference] {
    /// The names, kinds and parts of all.
    var list: String { map(\.description).excerpts() }

    /// The same with one more thing that is in the way.
    func adding(_ obstacle: String) -> Self {
        var result = self
        let index = firstIndex { !$0.isIndex } ?? startIndex
        if indices.contains(index) { result[index].obstacles.append(obstacle) }
        return result
    }

    /// The same, which a migration cannot leave as they are.
    func needed(because need: String) -> Self {
        map { difference in
            var result = difference
            result.need = need
            return result
        }
    }

    /// Why they cannot be put right; nil where they can.
    var obstacles: String? {
        let all = flatMap(\.obstacles)
        return all.isEmpty ? nil : all.excerpts(separator: "; ")
    }

    /// What a repair makes again and takes away; empty where rows keep all that they have.
    var consequences: String {
        var made: [String] = []
        var gone: [String] = []
        for difference in self {
            if difference.kind == .missing, !difference.isIndex { made.append(difference.name) }
            for part in difference.parts where part.isColumn {
                let name = "\(difference.name).\(part.name)"
                switch part.kind {
                case .missing: made.append(name)
                case .foreign: gone.append(name + part.valueWords)
                case .changed: break
                }
            }
        }
        let makes = "makes \(made.excerpts()) again, without what was in it"
        let takes = "takes away \(gone.excerpts())"
        return [made.isEmpty ? nil : makes, gone.isEmpty ? nil : takes].compactMap(\.self)
            .joined(separator: ", and ")
    }

    /// What a repair would do, for a report; nil where there is none to do.
    var repairWords: String? {
        guard contains(where: { $0.kind != .foreign }) else { return nil }
        if let obstacles { return "not possible: \(obstacles)" }
        let consequences = consequences
        return consequences.isEmpty ? "rows keep all that they have" : consequences
    }

    /// What can be done about them.
    ///
    /// - Parameters:
    ///   - repair: How a repair is asked for.
    ///   - report: How leaving them is asked for.
    func remedy(repair: String, report: String) -> String {
        if let obstacles {
            return "They cannot be repaired: \(obstacles). Undo that, or put a copy of the store "
                + "from before in its place"
        }
        // A store that lacks a table can be opened, but neither migrated nor read.
        let need = lazy.compactMap(\.need).first
        let canLeave = need == nil && !contains(where: \.isMissingSomeTable)
        let leaving = canLeave ? "let \(report) leave it" : nil
        let consequences = consequences.isEmpty ? "" : " (it \(consequences))"
        let mending = "let \(repair) put it right after a copy was made\(consequences)"
        let why = need.map { "They cannot be left as they are: \($0). " } ?? ""
        return why
            + (leaving.map { "Undo that, \(mending), or \($0)" } ?? "Undo that, or \(mending)")
    }
}
