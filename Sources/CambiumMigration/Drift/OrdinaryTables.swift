import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// The part of a store that can be read before it was compared with a model. A view, a virtual
/// table or a computed column may run SQL that another program has put into the store, and may
/// never end.
package struct OrdinaryTables {
    /// All objects in the catalogue.
    let objects: [StoreObject]
    private let connection: Connection
    private let named: [String: StoreObject]

    /// Reads the catalogue alone.
    package init(in connection: Connection) throws(SQLiteError) {
        self.connection = connection
        objects = try connection.storeObjects()
        named = Dictionary(
            objects.filter { $0.kind != .trigger }.map { ($0.name.lowercased(), $0) },
            uniquingKeysWith: { one, _ in one })
    }

    /// Whether a table exists and is an ordinary one.
    func contains(_ table: String) -> Bool {
        named[table.lowercased()]?.isOrdinaryTable ?? false
    }

    /// The names, in lower case, of the columns that are computed. The table must be an ordinary
    /// one.
    func computedColumns(of table: String) throws(SQLiteError) -> Set<String> {
        let rows = try connection.rows(StoreObject.computedColumns(of: table))
        return Set(rows.compactMap { $0.first?.text })
    }

    /// Returns the objects that have the name of a table or index of the model, but are something
    /// else.
    func nameConflicts(among tables: [String]) -> [StoreDifference] {
        tables.compactMap { name in
            guard let object = named[name.lowercased()], !object.isOrdinaryTable,
                object.kind != .index
            else { return nil }
            return StoreDifference(
                name: name, kind: .changed, actual: object.sql,
                obstacles: [Self.words(for: object)])
        }
    }

    /// Checks that all objects with the names of the model's tables are tables.
    ///
    /// - Throws: ``MigrationError/storeDiffers(_:)``
    package func require(_ tables: [String]) throws(MigrationError) {
        let nameConflicts = nameConflicts(among: tables)
        guard nameConflicts.isEmpty else { throw .storeDiffers(nameConflicts) }
    }

    private static func words(for object: StoreObject) -> String {
        let kind = object.kind == .view ? "view" : "virtual table"
        return "\(object.name.excerpt()) is a \(kind), and must be an ordinary table"
    }
}

extension Connection {
    /// All objects in the catalogue.
    package func storeObjects() throws(SQLiteError) -> [StoreObject] {
        try rows(StoreObject.query).compactMap(StoreObject.init)
    }

    /// Checks that the metadata of a store can be read.
    ///
    /// - Returns: Whether there is a table `_metadata`.
    /// - Throws: ``MigrationError/notAStore`` if something else has this name; `SQLiteError`.
    package func hasMetadata() throws -> Bool {
        let rows = try rows(StoreObject.namedQuery, [.text(MetadataSQL.table)])
        guard !rows.isEmpty else { return false }
        guard rows.count == 1, let object = StoreObject(row: rows[0]), object.isOrdinaryTable,
            try self.rows(StoreObject.computedColumns(of: MetadataSQL.table)).isEmpty
        else { throw MigrationError.notAStore }
        return true
    }

    /// Runs a body that reads an unknown store. Its statements are interrupted after a few seconds
    /// in all. Reading the catalogue of a store takes a few milliseconds.
    ///
    /// - Throws: ``MigrationError/storeIsDamaged(finding:)`` if they were interrupted; the errors
    ///   of the body.
    package func withBudget<Result>(_ body: () throws -> Result) throws -> Result {
        var questions = 500
        do {
            return try asking(
                every: 100_000,
                {
                    questions -= 1
                    return questions > 0
                }, body)
        } catch let error as SQLiteError where error.isInterruption && questions <= 0 {
            throw MigrationError.storeIsDamaged(
                finding: "the description of its tables has no end")
        }
    }
}

/// The information in a chain about the tables of a version with known fingerprints only. The
/// statements up to the version have created some of the tables, and the later statements read
/// columns of others.
struct FormerTables {
    /// The statements that would create them, by their names.
    let statements: [String: String]
    /// The later operations.
    let later: [SchemaOperation]

    /// Creates the tables without rows, with the statements of the chain.
    ///
    /// - Parameters:
    ///   - earlier: The statements up to the version.
    ///   - later: The later statements.
    ///   - expected: The fingerprints of its tables. A table with another fingerprint is not
    ///     reported.
    init(
        after earlier: [MigrationStatement], before later: [SchemaOperation],
        _ expected: [String: String]
    ) {
        self.later = later
        var rows: [[StoredValue]] = []
        if let connection = try? Connection(path: ":memory:") {
            for statement in earlier {
                switch statement.operation {
                case .createTable, .addColumn, .renameTable, .dropTable:
                    // Tables from before the chain do not exist here.
                    try? connection.execute(statement.sql)
                default: continue
                }
            }
            rows = (try? connection.rows(Catalogue.query)) ?? []
        }
        let fingerprints = Catalogue(rows: rows).fingerprints
        statements = rows.reduce(into: [:]) { statements, row in
            if case .text(let name)? = row.first, case .text(let sql)? = row.last,
                fingerprints[name] == expected[name]
            {
                statements[name] = sql
            }
        }
    }
}
