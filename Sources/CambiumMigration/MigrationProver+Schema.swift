import CambiumModel
import CambiumSQL
import CambiumSQLite

extension MigrationProver {
    /// How many tables a store of a proof has at most.
    private static let tablesPerStore = 50

    /// Runs every statement of a fresh store on an SQLite in memory; where there are few tables,
    /// with generated rows, so that the checks are computed too.
    ///
    /// With each statement that makes a table or an index SQLite goes through all that it has, so
    /// the time for thousands would grow with the square of their number: they are made in several
    /// stores at once, and that no two have one name is checked here.
    ///
    /// - Throws: ``Failure``, ``MigrationError`` or `SQLiteError`.
    package static func prove(_ schema: Schema, of model: Model) throws {
        guard schema.tables.count > tablesPerStore else {
            _ = try makeStore(of: model, schema, seed: 0)
            return
        }
        try requireDifferentNames(schema)
        let outcomes = parts(of: schema).concurrentMap { part in
            Result { try run(part) }
        }
        for outcome in outcomes { try outcome.get() }
    }

    private static func parts(of schema: Schema) -> [[String]] {
        let statements = schema.statements
        var nextIndex = schema.tables.count
        return stride(from: 0, to: schema.tables.count, by: tablesPerStore).map { start in
            let tables = start..<min(start + tablesPerStore, schema.tables.count)
            let count = schema.tables[tables].reduce(0) { $0 + $1.indexes.count }
            defer { nextIndex += count }
            // The runtime's own tables, which the records are of, are the first.
            let records = start == 0 ? statements.suffix(schema.recordCount) : []
            return statements[tables] + statements[nextIndex..<nextIndex + count] + records
        }
    }

    private static func run(_ statements: [String]) throws {
        let connection = try Connection(path: ":memory:")
        try connection.transaction {
            for statement in statements { try connection.execute(statement) }
        }
    }

    /// Names of SQLite do not tell the case of ASCII letters.
    private static func requireDifferentNames(_ schema: Schema) throws(Failure) {
        var names: Set<[UInt8]> = []
        for name in schema.tables.map(\.name) + schema.tables.flatMap(\.indexes).map(\.name) {
            let folded = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            guard names.insert(folded).inserted else {
                throw Failure(description: "There are two tables or indexes named \(name)")
            }
        }
    }
}
