import CambiumEngineSpecification
import CambiumMigrationCommand
import CambiumPostgres
import Foundation
import Testing

@testable import CambiumPostgresStore

/// A server that the tests may use.
struct CheckedServer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let url: String

    /// One of those that run, or all in a run of full size.
    static func some(line: Int = #line) -> [CheckedServer] {
        let all = ["15", "18"].compactMap { version in
            ProcessInfo.processInfo.environment["CAMBIUM_POSTGRES_\(version)"].map {
                CheckedServer(testDescription: "PostgreSQL \(version)", url: $0)
            }
        }
        return TestSize.sample(all, oneIn: all.count, place: line)
    }
}

/// A check of a store on a server finds what it finds in a file.
struct ServerCheckTests {
    /// A store of ``Household``, and a connection that sees its tables.
    private func withStore(
        _ server: CheckedServer, _ body: (StoreDescription, PostgresConnection) throws -> Void
    ) throws {
        let schema = "test \(UUID().uuidString)"
        let description = StoreDescription(location: .postgres(server.url, schema: schema))
        let container = try PersistentContainer(Household.model, description)
        let context = container.newContext()
        try Household.fill(context)
        let connection = try PostgresConnection(PostgresSettings(server.url))
        _ = try connection.run("SET search_path = \"\(schema)\"")
        try body(description, connection)
        _ = try connection.run("DROP SCHEMA \"\(schema)\" CASCADE")
    }

    private func report(
        _ store: StoreDescription, repairing: Bool = false
    ) throws -> StoreCheckReport {
        try StoreCheck(model: Household.model, store: store).run(repairing: repairing)
    }

    @Test(arguments: CheckedServer.some())
    func `a healthy store has no findings`(_ server: CheckedServer) throws {
        try withStore(server) { store, _ in
            let report = try report(store)
            #expect(report.words == [])
            #expect(report.objectCount == 9)
        }
    }

    @Test(arguments: CheckedServer.some())
    func `damage to links is found, and nothing else`(_ server: CheckedServer) throws {
        try withStore(server) { store, connection in
            for damage in Household.damagedLinks {
                _ = try connection.run([
                    PostgresConnection.begin(isReadOnly: false),
                    PostgresStatement("SET LOCAL session_replication_role = replica"),
                ])
                let saved = try snapshot(connection)
                _ = try connection.run(damage.sql)
                _ = try connection.run("COMMIT")
                #expect(try report(store).words == damage.findings, "\(damage)")
                try restore(saved, connection)
                #expect(try report(store).words == [], "\(damage)")
            }
        }
    }

    @Test(arguments: CheckedServer.some())
    func `damage to values is found, beside the constraints that are lost`(
        _ server: CheckedServer
    ) throws {
        try withStore(server) { store, connection in
            let checks = try connection.run(
                """
                SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) \
                FROM pg_constraint WHERE contype = 'c' \
                AND connamespace = quote_ident(current_schema())::regnamespace
                """)
            for row in 0..<checks.count { _ = try connection.run(checks.text(row, 0)) }
            for damage in Household.damagedValues {
                let saved = try snapshot(connection)
                _ = try connection.run(damage.sql)
                let words = try report(store).words.filter { $0 != "schemaDiffers" }
                #expect(words == damage.findings, "\(damage)")
                try restore(saved, connection)
            }
            #expect(Set(try report(store).words) == ["schemaDiffers"])
        }
    }

    /// Copies all tables of the schema.
    private func snapshot(_ connection: PostgresConnection) throws -> [String] {
        let rows = try connection.run(
            """
            SELECT c.oid::regclass::text FROM pg_class AS c WHERE c.relkind = 'r' \
            AND c.relnamespace = quote_ident(current_schema())::regnamespace
            """)
        let tables = (0..<rows.count).map { rows.text($0, 0) }
        for (number, table) in tables.enumerated() {
            _ = try connection.run(
                "CREATE TEMPORARY TABLE saved_\(number) AS SELECT * FROM \(table)")
        }
        return tables
    }

    private func restore(_ tables: [String], _ connection: PostgresConnection) throws {
        _ = try connection.run([
            PostgresConnection.begin(isReadOnly: false),
            PostgresStatement("SET LOCAL session_replication_role = replica"),
        ])
        for (number, table) in tables.enumerated() {
            _ = try connection.run("DELETE FROM \(table)")
            _ = try connection.run("INSERT INTO \(table) SELECT * FROM saved_\(number)")
            _ = try connection.run("DROP TABLE saved_\(number)")
        }
        _ = try connection.run("COMMIT")
    }

    @Test(arguments: CheckedServer.some())
    func `large values that are lost or left over are found, and the latter removed`(
        _ server: CheckedServer
    ) throws {
        try withStore(server) { store, connection in
            _ = try connection.run("INSERT INTO \"_external\" VALUES ('rest'::bytea, ''::bytea)")
            #expect(try report(store).words == ["unreferencedExternalData"])
            let repaired = try report(store, repairing: true)
            #expect(repaired.repairs.map(\.count) == [1])
            #expect(try report(store).words == [])
            _ = try connection.run("DELETE FROM \"_external\"")
            #expect(try report(store).words == ["missingExternalData Author/1.photo"])
        }
    }

    @Test(arguments: CheckedServer.some())
    func `a repair computes derived values and raises counters, and leaves the rest`(
        _ server: CheckedServer
    ) throws {
        try withStore(server) { store, connection in
            _ = try connection.run("UPDATE \"Person\" SET \"thingCount\" = 7")
            _ = try connection.run("UPDATE \"_keys\" SET \"next\" = 1 WHERE \"entity\" = 'Tag'")
            _ = try connection.run("UPDATE \"Person\" SET \"mood\" = 'odd' WHERE \"_id\" = 3")
            let report = try report(store, repairing: true)
            #expect(report.remaining == 1)
            #expect(
                report.repairs.map { "\($0.kind) \($0.entityName ?? "") \($0.count)" } == [
                    "staleValue Person 4", "keyCounter Tag 1",
                ])
            #expect(try self.report(store).words == ["unknownCase Person/3.mood"])
        }
    }
}
