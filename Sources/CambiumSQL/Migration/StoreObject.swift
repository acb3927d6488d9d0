import CambiumModel
import CambiumPlan

/// A table, index, view or trigger of a store, as SQLite lists it.
package final class StoreObject: Sendable, Hashable {
    /// The kind of object.
    package enum Kind: String, Sendable, CaseIterable {
        case table, index, view, trigger
    }

    /// The kind of object.
    package let kind: Kind
    /// The name of the object.
    package let name: String
    /// The table or view that it belongs to; a table's own name.
    package let table: String
    /// The statement that creates it.
    package let sql: String

    /// Describes one.
    package init(kind: Kind, name: String, table: String, sql: String) {
        self.kind = kind
        self.name = name
        self.table = table
        self.sql = sql
    }

    package static func == (left: StoreObject, right: StoreObject) -> Bool {
        left === right
            || left.kind == right.kind && left.name == right.name && left.table == right.table
                && left.sql == right.sql
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(sql)
    }

    /// A query of all objects that have a text, in the order of their creation. Objects that SQLite
    /// creates for itself have no text.
    package static let query = """
        SELECT "type", "name", "tbl_name", "sql" FROM "sqlite_schema"
        WHERE "sql" IS NOT NULL AND "name" NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid
        """

    /// Reads a row of ``query``.
    package convenience init?(row: [StoredValue]) {
        guard row.count == 4, case .text(let type) = row[0], let kind = Kind(rawValue: type),
            case .text(let name) = row[1], case .text(let table) = row[2],
            case .text(let sql) = row[3]
        else { return nil }
        self.init(kind: kind, name: name, table: table, sql: sql)
    }

    /// Whether a module of SQLite's keeps the table.
    package var isVirtual: Bool {
        kind == .table && sql.uppercased().hasPrefix("CREATE VIRTUAL TABLE")
    }

    /// Whether it is an ordinary table of SQLite. Reading such a table runs no query of a view and
    /// no module. The text decides this, because SQLite creates the table from its text, and
    /// compares the text with the kind and the name beside it.
    package var isOrdinaryTable: Bool { kind == .table && sql.hasPrefix("CREATE TABLE ") }

    /// Reads one by its name: the parameter, ignoring case.
    package static let namedQuery = """
        SELECT "type", "name", "tbl_name", "sql" FROM "sqlite_schema"
        WHERE "name" = ? COLLATE NOCASE AND "type" <> 'trigger'
        """

    /// Returns the query of the names, in lower case, of the computed columns of an ordinary table.
    package static func computedColumns(of table: String) -> String {
        """
        SELECT lower("name") FROM pragma_table_xinfo(\(SQLText.literal(table))) \
        WHERE "hidden" > 1
        """
    }

    /// Whether the object belongs to the history of a store.
    package var isOfHistory: Bool {
        name.hasPrefix(HistorySQL.prefix) || name.hasPrefix(StoreTrigger.historyPrefix)
    }

    // MARK: Questions

    /// Returns the query of the columns of a table or view: the name, and 0 if it is writable.
    package static func columns(of table: String) -> String {
        "SELECT \"name\", \"hidden\" FROM pragma_table_xinfo(\(SQLText.literal(table)))"
    }

    /// Returns statements that test whether a table or view can be read and written. They need not
    /// run: to compile them, SQLite looks up everything that they would use, including triggers.
    ///
    /// - Parameter columns: The writable columns.
    package static func probes(of table: String, columns: [String]) -> [String] {
        let name = SQLText.identifier(table)
        let values = columns.map(SQLText.identifier).map { "\($0) = \($0)" }
        return ["SELECT * FROM \(name)", "INSERT INTO \(name) DEFAULT VALUES"]
            + (values.isEmpty ? [] : ["UPDATE \(name) SET \(values.joined(separator: ", "))"])
            + ["DELETE FROM \(name)"]
    }

    /// Returns a plain table with the columns of a virtual one, because its module may be missing.
    package func replacementTable(columns: [String]) -> String {
        """
        CREATE TABLE \(SQLText.identifier(name)) \
        (\(SQLText.identifiers(columns)))
        """
    }

    // MARK: Words of its text

    /// The names and words in its text, in lower case.
    package var words: Set<String> { Set(Self.words(of: sql)) }

    /// The columns in the UPDATE OF list of a trigger, in lower case; empty if it has no such list.
    package var watchedColumns: [String] {
        guard kind == .trigger else { return [] }
        let words = Self.words(of: sql)
        guard let update = words.firstIndex(of: "update"),
            update + 1 < words.count, words[update + 1] == "of",
            let end = words[update...].firstIndex(of: "on")
        else { return [] }
        return Array(words[(update + 2)..<end])
    }

    private static func words(of sql: String) -> [String] {
        var words: [String] = []
        var word = ""
        /// The character that ends a name, a text or a comment.
        var end: Character?
        var isRemark = false
        var last: Character?
        func close() {
            if !word.isEmpty { words.append(word.lowercased()) }
            word = ""
        }
        for character in sql {
            defer { last = character }
            if let mark = end {
                let isEnd = character == mark && (!isRemark || mark != "/" || last == "*")
                if !isEnd, !isRemark { word.append(character) }
                if isEnd {
                    close()
                    (end, isRemark) = (nil, false)
                }
            } else if character.isLetter || character.isNumber || "_$".contains(character) {
                word.append(character)
            } else {
                close()
                switch (last, character) {
                case ("-", "-"): (end, isRemark) = ("\n", true)
                case ("/", "*"): (end, isRemark) = ("/", true)
                case (_, "["): end = "]"
                case (_, "\""), (_, "'"), (_, "`"): end = character
                default: break
                }
            }
        }
        close()
        return words
    }

    // MARK: Changes to it

    /// The statement that drops it.
    package var removal: String {
        "DROP \(kind.rawValue.uppercased()) \(SQLText.identifier(name))"
    }

    /// The statement that removes the object if it still exists.
    package var removalIfThere: String {
        "DROP \(kind.rawValue.uppercased()) IF EXISTS \(SQLText.identifier(name))"
    }

    /// The statement that gives a table another name.
    package func renaming(to other: String) -> String {
        "ALTER TABLE \(SQLText.identifier(name)) RENAME TO \(SQLText.identifier(other))"
    }

    /// Returns the statements that give a table a name that differs only in case.
    package static func renamings(of table: String, to name: String) -> String {
        let passing = "_\(name)"
        return [(table, passing), (passing, name)].map { old, new in
            "ALTER TABLE \(SQLText.identifier(old)) RENAME TO \(SQLText.identifier(new))"
        }.joined(separator: "; ")
    }
}

extension StoreTrigger {
    /// The trigger that an object of a store is.
    package init(of object: StoreObject) {
        self.init(name: object.name, table: object.table, createStatement: object.sql)
    }

    /// Whether another trigger is the same except for white space.
    package func isSame(as other: StoreTrigger) -> Bool {
        name == other.name && table == other.table
            && Catalogue.normalized(createStatement) == Catalogue.normalized(other.createStatement)
    }
}

/// The names of a store during a chain of statements: the names that statements create, and whether
/// a name still refers to the same object afterwards. SQLite's names are case-insensitive.
package struct MigratedNames: Sendable {
    /// The names of tables and indexes that statements make, in lower case, each with the name as
    /// they write it.
    package private(set) var made: [String: String] = [:]
    /// The created names that were already in use.
    package private(set) var taken: Set<String> = []
    /// The names of tables that referred to another object before, or no longer refer to any.
    package private(set) var reusedNames: Set<String> = []
    /// The names of columns that referred to another object before, or no longer refer to any, by
    /// their tables.
    package private(set) var strangeColumns: [String: Set<String>] = [:]

    /// The objects that have a name, each with the table it belongs to.
    private var present: [String: String]
    private let kept: Set<String>

    /// Begins with the objects of a store.
    ///
    /// - Parameter kept: The external objects that stay or are restored.
    package init(of objects: [StoreObject], keeping kept: [StoreObject]) {
        present = Dictionary(
            objects.filter { $0.kind != .trigger }
                .map { ($0.name.lowercased(), $0.table.lowercased()) },
            uniquingKeysWith: { first, _ in first })
        self.kept = Set(kept.map { $0.name.lowercased() })
    }

    /// Follows the operations of one migration.
    package mutating func follow(_ operations: [SchemaOperation]) {
        var helpers: Set<String> = []
        for operation in operations {
            switch operation {
            case .createTable(let table):
                helpers.insert(table)
                make(table, of: table)
            case .renameTable(let table, let new):
                present[table.lowercased()] = nil
                make(new, of: new)
            case .dropTable(let table): drop(table)
            case .createIndex(let name, let table, _): make(name, of: table)
            default: break
            }
        }
        for case .dropTable(let table) in operations where !helpers.contains(table) {
            let key = table.lowercased()
            guard let columns = TableCopies.columnsMadeOfOthers(of: table, by: operations) else {
                reusedNames.insert(key)
                continue
            }
            strangeColumns[key, default: []].formUnion(columns)
        }
    }

    /// Whether there is anything of that name afterwards.
    package func isPresent(_ name: String) -> Bool { present[name.lowercased()] != nil }

    private mutating func make(_ name: String, of table: String) {
        let key = name.lowercased()
        made[key] = name
        if present[key] != nil { taken.insert(key) }
        present[key] = table.lowercased()
    }

    private mutating func drop(_ table: String) {
        let key = table.lowercased()
        // The indexes of a table are dropped with it. External ones are restored.
        present = present.filter { $0.value != key || ($0.key != key && kept.contains($0.key)) }
    }
}
