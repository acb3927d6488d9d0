import CambiumModel
import CambiumSQL

/// A table, index, trigger or view of a store that is not what the store's version says: another
/// program has been there.
public struct StoreDifference: Sendable, Hashable, CustomStringConvertible {
    /// In what way it differs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The version has it, the store does not.
        case missing
        /// The store has it in another form.
        case changed
        /// The store has it, the version knows nothing of it. It belongs to the program that
        /// created it, and is left alone.
        case external = "foreign"
    }

    /// The object's name.
    public let name: String
    /// In what way it differs.
    public let kind: Kind
    /// The statement that would make it, where the version is one that the program knows all of.
    public internal(set) var expected: String?
    /// The statement that made it.
    public internal(set) var actual: String?
    /// The columns and constraints of a table that differ, as far as that is known: of an earlier
    /// version those that others have added.
    public internal(set) var parts: [Part] = []
    /// Why ``DriftPolicy/repair`` cannot put it right, a sentence each, as far as that is known
    /// beforehand; empty where nothing is in the way.
    public internal(set) var obstacles: [String] = []
    /// Why ``DriftPolicy/report`` cannot leave it, where that was found out.
    public internal(set) var need: String?

    /// A column or a constraint of a table.
    public struct Part: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// In what way it differs.
        public let kind: Kind
        /// Whether it is a column.
        public internal(set) var isColumn = true
        /// How many rows have a value in a column that another program has added: what
        /// ``DriftPolicy/repair`` deletes. Nil where they were not counted.
        public internal(set) var values: Int?
    }

    var isIndex: Bool { TableIndex.mayBeOurs(name) }

    /// Whether a table, or a column of one, was deleted.
    var isMissingSomeTable: Bool {
        (kind == .missing && !isIndex) || parts.contains { $0.kind == .missing && $0.isColumn }
    }

    /// The name, the kind, and the parts that differ.
    public var description: String {
        let list = parts.map(\.description).excerpts()
        return "\(name.excerpt()) (\(kind.rawValue)\(list.isEmpty ? "" : ": \(list)"))"
    }
}

extension StoreDifference.Part: CustomStringConvertible {
    /// The name, what others have done about it, and how many values are in it.
    public var description: String {
        let word =
            switch kind {
            case .missing: "missing"
            case .changed: "changed"
            case .external: "added"
            }
        return "\(name.excerpt()) \(word)" + valueWords
    }

    /// How many values are in it, where there are some.
    var valueWords: String {
        guard let values, values > 0 else { return "" }
        return " (\(values.counted("value")))"
    }
}

/// What becomes of a store whose tables or indexes another program has changed.
///
/// What other programs have added beside them (tables, indexes, triggers and views of their own) is
/// no such change.
public enum DriftPolicy: String, Sendable, Hashable, CaseIterable {
    /// It is not opened; the error names each object that differs.
    case refuse
    /// What is the model's own is made as the model says, after a copy of the store was made:
    /// before a migration as the store's version says. A deleted table or column is created again,
    /// without what was in it: rows have the default there, or nothing. Where rows do not allow for
    /// that the store is refused, and the error says why.
    ///
    /// - Warning: A column that another program has added to one of the model's tables is gone
    ///   afterwards; the copy has it.
    case repair
    /// It is opened, and migrated, as it is. What differs can be asked for. Columns that others
    /// have added are migrated; where the new version has no table with the same rows for them, the
    /// migration is refused, as it is where a table or column of the model's was deleted.
    case report
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

    /// What a repair creates again and deletes; empty where rows keep all that they have.
    var consequences: String {
        var made: [String] = []
        var deleted: [String] = []
        for difference in self {
            if difference.kind == .missing, !difference.isIndex { made.append(difference.name) }
            for part in difference.parts where part.isColumn {
                let name = "\(difference.name).\(part.name)"
                switch part.kind {
                case .missing: made.append(name)
                case .external: deleted.append(name + part.valueWords)
                case .changed: break
                }
            }
        }
        let creates = "creates \(made.excerpts()) again, without the earlier values"
        let deletes = "deletes \(deleted.excerpts())"
        return [made.isEmpty ? nil : creates, deleted.isEmpty ? nil : deletes].compactMap(\.self)
            .joined(separator: ", and ")
    }

    /// What a repair would do, for a report; nil where there is none to do.
    var repairWords: String? {
        guard contains(where: { $0.kind != .external }) else { return nil }
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
