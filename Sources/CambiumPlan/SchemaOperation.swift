import CambiumModel

/// The effect of a migration's statement on tables.
///
/// The planner creates it together with the statement. Data loss, forecast, progress, drift and
/// rejections are computed from operations; no code parses SQL text.
///
/// ## Topics
///
/// ### Tables
///
/// - ``createTable(_:)``
/// - ``addColumn(_:to:)``
/// - ``alterTable(_:)``
/// - ``renameTable(_:to:)``
/// - ``dropTable(_:)``
///
/// ### Indexes and foreign keys
///
/// - ``createIndex(_:on:unique:)``
/// - ``addForeignKey(_:of:)``
/// - ``dropForeignKey(_:of:)``
///
/// ### Rows
///
/// - ``insertRows(_:from:)``
/// - ``copyRows(_:)``
/// - ``settleRows(root:into:)``
/// - ``updateRows(_:from:)``
/// - ``chooseObjects(_:from:)``
/// - ``deleteRows(_:from:)``
/// - ``checkRows(_:with:type:)``
///
/// ### Other operations
///
/// - ``other``
public indirect enum SchemaOperation: Sendable, Hashable {
    /// Creates a table.
    case createTable(String)
    /// Adds a column to a table.
    case addColumn(String, to: String)
    /// Inserts the rows of an old table into a new one.
    case copyRows(RowCopy)
    /// Inserts rows that are computed from rows of other tables.
    case insertRows(String, from: [String] = [])
    /// Notes the objects to delete in a table.
    case chooseObjects(String, from: [String] = [])
    /// Inserts the rows that the program's steps have produced into a new table of a root entity.
    case settleRows(root: String, into: String)
    /// Gives rows of a table other values.
    case updateRows(String, from: [String] = [])
    /// Deletes rows of a table.
    case deleteRows(String, from: [String] = [])
    /// Fails if a row of a table does not meet a condition.
    ///
    /// `type` is the type, in the model's notation, of the value that is to blame.
    case checkRows(String, with: [String] = [], type: String? = nil)
    /// Creates an index of a table.
    case createIndex(String, on: String, unique: UniqueRows? = nil)
    /// Gives a table another name.
    case renameTable(String, to: String)
    /// Drops a table, and its indexes with it.
    case dropTable(String)
    /// Drops the foreign key of a column.
    case dropForeignKey(String, of: String)
    /// Adds the foreign key of a column. It fails if a row references an object that does not exist.
    case addForeignKey(String, of: String)
    /// Changes properties of a table, such as its constraints and defaults, in place.
    case alterTable(String)
    /// Has no effect on a table or its rows that matters to other programs or a forecast.
    case other
}

/// The rows of an old table in a new one.
public struct RowCopy: Sendable, Hashable {
    /// The old table.
    public let source: String
    /// The new table.
    public let destination: String
    /// The columns that are written, in order.
    public let columns: [String]
    /// The old columns that the values of a column are computed from. A column that takes its
    /// values from the old column of the same name has no entry.
    public let origins: [String: [String]]
    /// The columns of the new table that SQLite computes.
    public let computed: [String]
    /// The old root entities with keys before the keys of the rows; empty if the rows keep their
    /// keys.
    public let precedingRoots: [String]
    /// Further tables that are read. Programs do not need them.
    let lookups: [String]

    /// Describes a copy.
    public init(
        _ source: String, to destination: String, _ columns: [String],
        origins: [String: [String]] = [:], computed: [String] = [],
        after precedingRoots: [String] = [], with lookups: [String] = []
    ) {
        self.source = source
        self.destination = destination
        self.columns = columns
        self.origins = origins
        self.computed = computed
        self.precedingRoots = precedingRoots
        self.lookups = lookups
    }

    /// Whether the rows are objects. Links have no keys.
    package var isOfObjects: Bool { columns.contains(SystemColumn.key) }

    /// The columns of the old table that are read.
    var columnsRead: Set<String> {
        Set(columns.filter { origins[$0] == nil } + origins.values.flatMap { $0 })
    }

    /// The columns with values from other columns than the one of the same name.
    var columnsMadeOfOthers: [String] {
        origins.filter { !$1.isEmpty && !$1.contains($0) }.map { $0.key }
    }
}

/// Rows that differ in their columns, as a unique index demands.
public struct UniqueRows: Sendable, Hashable {
    /// The columns. NULL values are never equal.
    public let columns: [String]
    /// The entities of the rows; empty for all rows.
    public let entities: [String]

    /// Describes the rows.
    public init(_ columns: [String], of entities: [String] = []) {
        self.columns = columns
        self.entities = entities
    }
}

extension SchemaOperation {
    /// All tables that it reads or writes, except the runtime's own.
    package var tables: [String] {
        switch self {
        case .createTable(let table), .addColumn(_, let table), .createIndex(_, let table, _),
            .dropTable(let table), .dropForeignKey(_, let table), .addForeignKey(_, let table),
            .alterTable(let table):
            [table]
        case .copyRows(let copy): [copy.source, copy.destination] + copy.lookups
        case .insertRows(let table, let others), .chooseObjects(let table, let others),
            .updateRows(let table, let others), .deleteRows(let table, let others),
            .checkRows(let table, let others, _):
            [table] + others
        case .settleRows(let root, let table): [TableCopies.workingName(of: root), table]
        case .renameTable(let table, let name): [table, name]
        case .other: []
        }
    }

    /// The tables with rows that it writes, or that it replaces.
    package var tablesWritten: [String] {
        switch self {
        case .copyRows(let copy): [copy.destination]
        case .insertRows(let table, _), .chooseObjects(let table, _), .settleRows(_, let table),
            .updateRows(let table, _), .deleteRows(let table, _), .dropTable(let table):
            [table]
        case .renameTable(let table, let name): [table, name]
        case .createTable, .addColumn, .checkRows, .createIndex, .dropForeignKey, .addForeignKey,
            .alterTable, .other:
            []
        }
    }
}

/// The effect of operations that rebuild tables.
package enum TableCopies {
    /// Returns the name of the table that has the rows of a root entity while steps of the program
    /// write them.
    package static func workingName(of root: String) -> String { "_step_\(root)" }

    /// Returns the name of a new table while the old one exists.
    package static func temporaryName(of table: String) -> String { "_new_\(table)" }

    /// The name that a table has after some operations.
    package static func lastingName(
        of table: String, after operations: some Sequence<SchemaOperation>
    ) -> String {
        operations.reduce(table) { name, operation in
            if case .renameTable(name, let new) = operation { new } else { name }
        }
    }

    /// Whether the rows of a dropped table are in the new one of the same name, with the same keys,
    /// and nowhere else.
    package static func isCarried(_ table: String, by operations: [SchemaOperation]) -> Bool {
        let copies = operations.copies(of: table)
        return copies.count == 1 && copies[0].isOfObjects && copies[0].precedingRoots.isEmpty
            && replacements(of: table).contains(copies[0].destination)
    }

    /// Returns the names of the new table while the old table of the same name exists.
    private static func replacements(of table: String) -> [String] {
        [temporaryName(of: table), workingName(of: table)]
    }

    /// Returns the columns, in lower case, that the new table of the same name takes from other
    /// columns of the old one. The result is nil if there is no new table with its rows and their
    /// keys.
    package static func columnsMadeOfOthers(
        of table: String, by operations: [SchemaOperation]
    ) -> [String]? {
        let names = replacements(of: table).map { $0.lowercased() }
        for operation in operations {
            switch operation {
            case .copyRows(let copy)
            where copy.source == table && copy.precedingRoots.isEmpty
                && names.contains(copy.destination.lowercased()):
                return copy.columnsMadeOfOthers.map { $0.lowercased() }
            // Links of the same table alone.
            case .insertRows(let new, [table]) where names.contains(new.lowercased()): return []
            default: continue
            }
        }
        return nil
    }

    /// The columns, in lower case, that operations give a table, or the one that replaces it.
    package static func columnsMade(
        in table: String, by operations: [SchemaOperation]
    ) -> Set<String> {
        var columns: Set<String> = []
        for operation in operations {
            switch operation {
            case .addColumn(let column, table): columns.insert(column.lowercased())
            case .copyRows(let copy) where replacements(of: table).contains(copy.destination):
                columns.formUnion((copy.columns + copy.computed).map { $0.lowercased() })
            default: continue
            }
        }
        return columns
    }
}

extension Sequence<SchemaOperation> {
    /// The copies of a table's rows.
    func copies(of table: String) -> [RowCopy] {
        compactMap { if case .copyRows(let copy) = $0, copy.source == table { copy } else { nil } }
    }

    /// The columns of old tables that copies read.
    package var columnsRead: Set<String> {
        reduce(into: []) { columns, operation in
            if case .copyRows(let copy) = operation { columns.formUnion(copy.columnsRead) }
        }
    }

    /// Returns the columns that a table must have had, sorted. These are the columns that copies
    /// read until the table is dropped.
    package func columnsRead(of table: String) -> [String] {
        var columns: Set<String> = []
        var added: Set<String> = []
        for operation in self {
            switch operation {
            case .addColumn(let column, table): added.insert(column)
            case .copyRows(let copy) where copy.source == table:
                columns.formUnion(copy.columnsRead.subtracting(added))
            case .dropTable(table), .renameTable(table, _): return columns.ordered(by: <)
            default: continue
            }
        }
        return columns.ordered(by: <)
    }
}
