import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL

/// Opens a store in a schema of a database, and makes it where there is none.
package struct PostgresOpener: StoreOpening {
    private let settings: PostgresSettings
    private let schema: String
    private let model: ModelDescription
    private let options: StoreOptions

    /// - Parameters:
    ///   - settings: Which server and database, and how to connect.
    ///   - schema: The name of the schema.
    package init(
        _ settings: PostgresSettings, schema: String, _ model: ModelDescription,
        _ options: StoreOptions
    ) {
        self.settings = settings
        self.schema = schema
        self.model = model
        self.options = options
    }

    package func open() throws -> (store: any StoreEngine, migration: MigrationOutcome) {
        let pool = PostgresPool(settings)
        let derivations = PostgresDerivations(PostgresLayout(model, schema: schema))
        let found = try pool.withConnection {
            connection -> (identifier: StoreIdentifier, isNew: Bool) in
            try require(connection)
            return try connection.transaction { try identifier(derivations, connection) }
        }
        let history = try PostgresHistory(derivations.layout, options.historyRetention)
        if !options.isReadOnly {
            try pool.withConnection { try history.setUp(options, $0) }
        }
        let store = PostgresEngine(
            pool, derivations, identifier: found.identifier, options: options, history: history)
        return (store, found.isNew ? .created : .current)
    }

    package func open(filledWith rows: MovedRows) throws -> any StoreEngine {
        let opened = try open().store
        try opened.takeOver(rows)
        return opened
    }

    package func removeNewStore() {
        _ = try? PostgresConnection(settings)
            .run("DROP SCHEMA IF EXISTS \(SQLText.identifier(schema)) CASCADE")
    }

    private static let leastVersion = 150_000

    /// Makes sure that the server is one of those that Cambium knows.
    private func require(_ connection: PostgresConnection) throws {
        guard connection.serverVersion >= Self.leastVersion else {
            throw StoreError(
                code: .cannotOpen,
                message:
                    "The server has version \(connection.serverVersion / 10_000) of PostgreSQL.",
                remedy: "Use version 15 or later.")
        }
        let encoding = connection.serverSetting("server_encoding") ?? ""
        guard encoding == "UTF8" else {
            throw StoreError(
                code: .cannotOpen,
                message: "The database has the encoding \(encoding).",
                remedy: "Use a database with the encoding UTF8.")
        }
    }

    /// The identity of the store, which is made where there is none.
    private func identifier(
        _ derivations: PostgresDerivations, _ connection: PostgresConnection
    ) throws -> (identifier: StoreIdentifier, isNew: Bool) {
        let layout = derivations.layout
        // Of several programs one makes the store.
        var name = PostgresParameters()
        name.append(.text(layout.metadata), as: .text)
        if !options.isReadOnly {
            _ = try connection.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)
        }
        let exists = try connection.run("SELECT to_regclass($1) IS NOT NULL", name).boolean(0, 0)
        let schema = PostgresSchema(of: derivations)
        let expected = StoreMetadata(of: model.model, schemaHash: schema.hash)
        if exists {
            let found = try connection.run("SELECT \"name\", \"value\" FROM \(layout.metadata)")
            let rows = (0..<found.count).map { row -> [StoredValue] in
                [.text(found.text(row, 0)), .text(found.text(row, 1))]
            }
            guard let store = StoreMetadata(rows: rows),
                let uuid = MetadataSQL.identifier(in: rows)
            else { throw MigrationError.notAStore }
            guard store.versionHash == expected.versionHash else {
                throw StoreError.invalidRequest(
                    "The store has version \(store.version) of the model \(store.model), but the "
                        + "program has version \(expected.version).",
                    remedy: "Open it with a program of that version.")
            }
            return (StoreIdentifier(uuid), false)
        }
        guard !options.isReadOnly else { throw MigrationError.notAStore }
        let uuid = try UUID.random()
        _ = try connection.run(
            schema.statements.map { PostgresStatement($0) }
                + [statement([("uuid", uuid.uuidString)] + expected.values, layout)])
        return (StoreIdentifier(uuid), true)
    }

    private func statement(
        _ values: [(name: String, value: String)], _ layout: PostgresLayout
    ) -> PostgresStatement {
        let rows = values.map { name, value in
            "(\(SQLText.literal(name)), \(SQLText.literal(value)))"
        }
        return PostgresStatement(
            "INSERT INTO \(layout.metadata) (\"name\", \"value\") VALUES "
                + rows.joined(separator: ", "))
    }
}

extension PostgresSchema {
    /// A hash of the statements.
    var hash: String { SHA256.hexadecimal(of: statements.joined(separator: ";\n")) }
}
