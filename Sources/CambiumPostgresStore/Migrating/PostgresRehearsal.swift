import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Migrates a copy of a store, in a transaction that is rolled back. Other programs can read and
/// write the store meanwhile.
struct PostgresRehearsal {
    let survey: PostgresSurvey
    private var connection: PostgresConnection { survey.connection }
    private let layout: PostgresLayout

    /// - Throws: If no UUID can be generated.
    init(_ survey: PostgresSurvey) throws {
        self.survey = survey
        layout = PostgresLayout(
            survey.target.model,
            schema: "cambium_rehearsal_\(try UUID.random().uuidString.lowercased())")
    }

    /// Copies the store and migrates the copy; nil if no migration is necessary.
    ///
    /// - Throws: If the store cannot be copied, or the program cannot open it.
    func run() throws -> ServerRehearsal? {
        try survey.withoutTrace {
            guard let found = try survey.surveyed(), let chain = found.chain else { return nil }
            try copy()
            let (before, sizeBefore) = try (counts(), size())
            let start = ContinuousClock.now
            let failure = try migrate(chain)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            return ServerRehearsal(
                versions: found.versions,
                kind: chain.migrations.map(\.kind).max() ?? .additive, before: before,
                after: try counts(), sizeBefore: sizeBefore, sizeAfter: try size(),
                seconds: seconds, failure: failure)
        }
    }

    /// Migrates the copy, and compares its tables with those of a new store.
    ///
    /// - Returns: The error if that failed. Then the copy is unchanged.
    private func migrate(_ chain: MigrationChain) throws -> (any Error)? {
        _ = try connection.run("SAVEPOINT rehearsal")
        do {
            let migrator = PostgresMigrator(
                derivations: PostgresDerivations(layout), chain: chain, connection: connection,
                makesBackup: false, code: survey.target.code,
                interruption: Interruption(when: survey.target.isCancelled))
            _ = try migrator.run()
            let changed = try PostgresDrift(layout: layout, connection: connection)
                .differences(isInTransaction: true).filter { $0.kind != .external }
            guard changed.isEmpty else {
                throw MigrationError.storeDiffers(
                    changed.adding(PostgresDrift.obstacleOfMigrations))
            }
            return nil
        } catch let error as PostgresError where error.isDisconnection {
            throw error
        } catch MigrationError.cancelled {
            throw MigrationError.cancelled
        } catch {
            _ = try connection.run("ROLLBACK TO rehearsal")
            return error
        }
    }

    // MARK: The copy

    /// Copies the tables, without the history, and their rows, constraints and indexes.
    private func copy() throws {
        let store = survey.layout
        let catalogue = try PostgresDrift(layout: store, connection: connection).catalogue()
        let tables = catalogue.relations.filter {
            !$0.hasPrefix(HistorySQL.prefix) && catalogue.isTable($0)
        }
        _ = try connection.run(
            [layout.schemaStatement, PostgresSchema.searchPath(layout.schema)]
                .map { PostgresStatement($0) })
        for table in tables {
            let name = SQLText.identifier(table)
            let from = "\(store.schema).\(name)"
            let columns = try writtenColumns(of: table).map { SQLText.identifier($0) }
                .joined(separator: ", ")
            _ = try connection.run(
                """
                CREATE TABLE \(name) (LIKE \(from) INCLUDING DEFAULTS INCLUDING GENERATED \
                INCLUDING IDENTITY INCLUDING STORAGE)
                """)
            if !columns.isEmpty {
                _ = try connection.run(
                    """
                    INSERT INTO \(name) (\(columns)) OVERRIDING SYSTEM VALUE \
                    SELECT \(columns) FROM \(from)
                    """)
            }
        }
        let things = catalogue.definitions.filter { tables.contains($0.key.relation) }
        func isForeign(_ text: String) -> Bool { text.hasPrefix("FOREIGN KEY") }
        // A foreign key requires the key that it references.
        for isLast in [false, true] {
            for (thing, text) in things
            where thing.kind == "constraint" && isForeign(text) == isLast {
                _ = try connection.run(
                    """
                    ALTER TABLE \(SQLText.identifier(thing.relation)) \
                    ADD CONSTRAINT \(SQLText.identifier(thing.name)) \(text)
                    """)
            }
        }
        for (thing, text) in things where thing.kind == "index" { _ = try connection.run(text) }
    }

    /// The columns of a table that are not generated by the server.
    private func writtenColumns(of table: String) throws -> [String] {
        var parameters = PostgresParameters()
        parameters.append(.text(survey.layout.schemaName), as: .text)
        parameters.append(.text(table), as: .text)
        let rows = try connection.run(
            """
            SELECT column_name::text FROM information_schema.columns \
            WHERE table_schema = $1 AND table_name = $2 AND is_generated = 'NEVER' \
            ORDER BY ordinal_position
            """, parameters)
        return (0..<rows.count).map { rows.text($0, 0) }
    }

    // MARK: Rows and size

    private func names() throws -> [String] {
        var parameters = PostgresParameters()
        parameters.append(.text(layout.schemaName), as: .text)
        let rows = try connection.run(
            "SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = $1", parameters)
        return (0..<rows.count).map { rows.text($0, 0) }
    }

    /// The number of rows in each table of the model.
    private func counts() throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for name in try names() where !name.hasPrefix("_") {
            counts[name] = Int(
                try connection.run(
                    "SELECT count(*) FROM \(layout.schema).\(SQLText.identifier(name))"
                ).integer(0, 0))
        }
        return counts
    }

    private func size() throws -> Int {
        var parameters = PostgresParameters()
        parameters.append(.text(layout.schemaName), as: .text)
        let rows = try connection.run(
            """
            SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint \
            FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n \
            ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
            """, parameters)
        return Int(rows.integer(0, 0))
    }
}
