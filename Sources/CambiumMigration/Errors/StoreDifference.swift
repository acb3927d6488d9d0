import CambiumModel
import CambiumSQL

/// A table, index, trigger or view of a store that differs from the store's version: another
/// program has changed it.
///
/// ## Topics
///
/// ### Object
///
/// - ``name``
/// - ``kind-swift.property``
/// - ``Kind-swift.enum``
///
/// ### Definitions
///
/// - ``expected``
/// - ``actual``
/// - ``parts``
/// - ``Part``
///
/// ### Repair
///
/// - ``obstacles``
/// - ``need``
///
/// ### Printing
///
/// - ``description``
public struct StoreDifference: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a difference.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The version has it, the store does not.
        case missing
        /// The store has it in another form.
        case changed
        /// The store has it, but the version does not contain it. It belongs to the program that
        /// created it, and is not changed.
        case external = "foreign"
    }

    /// The object's name.
    public let name: String
    /// The kind of the difference.
    public let kind: Kind
    /// The statement that would create it, if the program has the complete version.
    public internal(set) var expected: String?
    /// The statement that created it.
    public internal(set) var actual: String?
    /// The columns and constraints of a table that differ, as far as they are known. For an earlier
    /// version these are the columns that other programs have added.
    public internal(set) var parts: [Part] = []
    /// The reasons why ``DriftPolicy/repair`` cannot repair it, as sentences, as far as they are
    /// known beforehand; empty if it can.
    public internal(set) var obstacles: [String] = []
    /// The reason why ``DriftPolicy/report`` cannot leave it unchanged, if there is one.
    public internal(set) var need: String?
    /// Whether the store is on a server: a repair makes no copy there.
    private(set) var isOnServer = false

    /// A column or a constraint of a table.
    public struct Part: Sendable, Hashable {
        /// The name of the part.
        public let name: String
        /// The kind of the difference.
        public let kind: Kind
        /// Whether the part is a column.
        public internal(set) var isColumn = true
        /// The number of rows with a value in a column that another program has added.
        /// ``DriftPolicy/repair`` deletes these values. Nil if they were not counted.
        public internal(set) var values: Int?
    }

    /// Creates a difference of a store on a server.
    package init(
        name: String, _ kind: Kind, expected: String?, actual: String?,
        parts: [(name: String, kind: Kind, isColumn: Bool)] = [], obstacles: [String] = []
    ) {
        self.init(name: name, kind: kind, expected: expected, actual: actual, obstacles: obstacles)
        self.parts = parts.map { Part(name: $0.name, kind: $0.kind, isColumn: $0.isColumn) }
        isOnServer = true
    }

    init(
        name: String, kind: Kind, expected: String? = nil, actual: String? = nil,
        parts: [Part] = [], obstacles: [String] = [], need: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.expected = expected
        self.actual = actual
        self.parts = parts
        self.obstacles = obstacles
        self.need = need
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
    /// The name, the change, and the number of values in it.
    public var description: String {
        let word =
            switch kind {
            case .missing: "missing"
            case .changed: "changed"
            case .external: "added"
            }
        return "\(name.excerpt()) \(word)" + valueWords
    }

    /// The number of values in it, if there are any.
    var valueWords: String {
        guard let values, values > 0 else { return "" }
        return " (\(values.counted("value")))"
    }
}

/// The handling of a store whose tables or indexes another program has changed.
///
/// Tables, indexes, triggers and views that other programs have added do not count as changes.
public enum DriftPolicy: String, Sendable, Hashable, CaseIterable {
    /// The store is not opened. The error names each different object.
    case refuse
    /// The model's own tables and indexes are repaired. If the rows do not allow that, the store is
    /// not opened, and the error says why.
    ///
    /// In a file, a copy of the store is made first. Before a migration, tables are repaired to the
    /// form of the store's version. A deleted table or column is created again, without its former
    /// content: rows have the default there, or no value.
    ///
    /// On a server, indexes, constraints, defaults and NOT NULL are created again, and no copy is
    /// made. Tables and columns are not created again, and a migration repairs nothing.
    ///
    /// - Warning: In a file, a column that another program has added to one of the model's tables
    ///   is deleted. The copy of the store has the column.
    case repair
    /// The store is opened, and migrated, without a repair. The program can query the differences.
    /// Columns that other programs have added are migrated. If the new version has no table with
    /// the same rows for them, the migration is refused. It is also refused if a table or column of
    /// the model was deleted.
    case report
}

extension [StoreDifference] {
    /// Whether they are of a store on a server.
    package var areOnServer: Bool { contains(where: \.isOnServer) }

    /// The names, kinds and parts of all.
    package var list: String { map(\.description).excerpts() }

    /// Returns the differences with an additional reason that prevents a repair.
    package func adding(_ obstacle: String) -> Self {
        var result = self
        let index = firstIndex { !$0.isIndex } ?? startIndex
        if indices.contains(index) { result[index].obstacles.append(obstacle) }
        return result
    }

    /// Returns the differences with the reason why a migration cannot leave them unchanged.
    func needed(because need: String) -> Self {
        map { difference in
            var result = difference
            result.need = need
            return result
        }
    }

    /// The reasons why they cannot be repaired; nil if they can.
    var obstacles: String? {
        var known: Set<String> = []
        let all = flatMap(\.obstacles).filter { known.insert($0).inserted }
        return all.isEmpty ? nil : all.excerpts(separator: "; ")
    }

    /// The objects that a repair creates and deletes; empty if rows keep all their values.
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

    /// A description of the repair, for a report; nil if none is necessary.
    package var repairWords: String? {
        guard contains(where: { $0.kind != .external }) else { return nil }
        if let obstacles { return "not possible: \(obstacles)" }
        let consequences = consequences
        return consequences.isEmpty ? "no data is lost" : consequences
    }

    /// The remedy for the differences.
    ///
    /// - Parameters:
    ///   - repair: The option with which the user requests a repair.
    ///   - report: The option with which the user leaves the differences unchanged.
    package func remedy(repair: String, report: String) -> String {
        if let obstacles {
            let restoring =
                areOnServer
                ? "restore a backup" : "put a copy of the store from before in its place"
            return "They cannot be repaired: \(obstacles). Undo that, or \(restoring)"
        }
        // A store that lacks a table can be opened, but neither migrated nor read.
        let need = lazy.compactMap(\.need).first
        let canLeave = need == nil && !contains(where: \.isMissingSomeTable)
        let leaving = canLeave ? "let \(report) leave it" : nil
        let consequences = consequences.isEmpty ? "" : " (it \(consequences))"
        let copying = areOnServer ? "" : " after a copy was made"
        let repairing = "let \(repair) repair it\(copying)\(consequences)"
        let why = need.map { "They cannot be left as they are: \($0). " } ?? ""
        return why
            + (leaving.map { "Undo that, \(repairing), or \($0)" } ?? "Undo that, or \(repairing)")
    }
}

/// A table, index, view or trigger of another program in a store. It prevents a migration, or would
/// not work after it.
///
/// If possible, such an object stays unchanged. Otherwise nothing is migrated until the author of
/// that program has decided about it.
public struct ExternalObject: Sendable, Hashable, CustomStringConvertible {
    /// The kind of the object.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case table, index, view, trigger
    }

    /// The reason why the object prevents the migration or the opening of the store.
    public enum Reason: Sendable, Hashable {
        /// The migration creates an object of this name. The two names may differ in case.
        case nameIsNeeded(String)
        /// The object does not work with the tables of the new version. The value is SQLite's
        /// message.
        case wouldBreak(String)
        /// The object would use another object of the same name.
        case wouldMeanSomethingElse(String)
        /// This number of references in the object would dangle, because the migration deletes the
        /// referenced objects.
        case wouldLoseLinks(Int)
        /// It is an index, and its name has the form of the model's own. A migration drops such an
        /// index if the new version does not have it.
        case usesReservedName
        /// It belongs to a table or view of another program, of this name, that has to be dropped.
        /// SQLite drops it with that.
        case belongsTo(String)
        /// The store is opened with the option to trust only the model's own schema.
        case isNotTrusted
    }

    /// The kind of the object.
    public let kind: Kind
    /// The name of the object.
    public let name: String
    /// The statement that creates it.
    public let statement: String
    /// The reason why the object prevents the migration or the opening of the store.
    public let reason: Reason
    /// The remedy, with its SQL.
    public let remedy: String

    /// The kind, the name, and the problem.
    public var description: String {
        let what =
            switch reason {
            case .nameIsNeeded(let made):
                made == name
                    ? "has a name that the migration uses"
                    : "has a name that the migration uses (\(made)) except for case"
            case .wouldBreak(let message): "would no longer work (\(message))"
            case .wouldMeanSomethingElse(let text): "would mean something else (\(text))"
            case .wouldLoseLinks(let count):
                "has \(count.counted("link")) to objects that the migration deletes"
            case .usesReservedName: "has a name that is reserved for the model's indexes"
            case .belongsTo(let owner): "belongs to \(owner), which has to be dropped"
            case .isNotTrusted: "is not part of the model"
            }
        return "the \(kind.rawValue) \(name.excerpt()) \(what)"
    }
}

extension ExternalObject {
    /// Chooses the remedy for an object.
    ///
    /// - Parameter usedNames: The names, in lower case, that are in use or will be.
    init(_ object: StoreObject, _ reason: Reason, _ usedNames: Set<String> = []) {
        kind = Kind(rawValue: object.kind.rawValue) ?? .table
        (name, statement, self.reason) = (object.name, object.sql, reason)
        let sql = object.sql.excerpt(4_000)
        switch (object.kind, reason) {
        case (_, .isNotTrusted):
            remedy = "drop it (\(object.removal)), or trust external objects in the store's options"
        case (.table, .nameIsNeeded):
            var free = "\(object.name)_2"
            while usedNames.contains(free.lowercased()) { free += "_2" }
            remedy = "give it another name: \(object.renaming(to: free))"
        case (_, .wouldLoseLinks):
            remedy = "set those keys to NULL, or delete the rows"
        case (.table, _) where !object.isVirtual:
            remedy =
                "save its rows elsewhere, drop it (\(object.removal)) and create it again without "
                + "the references that fail: \(sql)"
        case (_, .belongsTo):
            remedy =
                "drop it first (\(object.removal)) and create it again when \(object.table) is "
                + "rebuilt: \(sql)"
        case (_, .nameIsNeeded), (_, .usesReservedName):
            remedy = "drop it (\(object.removal)) and give it another name: \(sql)"
        case (_, _):
            remedy = "drop it (\(object.removal)) and create it as the new version needs it: \(sql)"
        }
    }
}

extension [ExternalObject] {
    /// The problem of each object, and its remedy.
    var words: String {
        let shown = prefix(20).map { "\($0): \($0.remedy)" }.joined(separator: "; ")
        return count > 20 ? "\(shown); and \(count - 20) more" : shown
    }
}
