import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumPostgres
import CambiumPostgresSQL
import CambiumSQL
import FirstPackagesModel
import Foundation
import PackagesModel
import Testing

@testable import CambiumPostgresStore

/// What a forecast says of a store on a server.
struct ServerForecastTests {
    /// The locks that a migration holds at its end on tables that the store had before.
    @Test(arguments: PostgresServer.some())
    func `the locks of a forecast are those that the server takes`(
        _ server: PostgresServer
    ) throws {
        let (schema, connection) = try OpeningMigrationTests().makeStore(server) {
            $0.history = .values
        }
        defer { OpeningMigrationTests().remove(schema, connection) }
        for version in 2...3 {
            let model = OpeningMigrationTests.models[version - 1]
            let target = ServerTarget(
                .withoutClasses(model), migrations: try OpeningMigrationTests.migrations(),
                versions: OpeningMigrationTests.models)
            let survey = try PostgresSurvey(PostgresSettings(server.url), schema: schema, target)
            let forecast = try #require(try survey.forecast())
            let layout = PostgresLayout(.withoutClasses(model), schema: schema)
            let chain = try #require(try survey.survey()?.chain)
            #expect(try survey.survey()?.history == forecast.history)
            let tables = try connection.run(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = '\(schema)'")
            let names = (0..<tables.count).map { tables.text($0, 0) }
            let oids = try connection.run(
                """
                SELECT string_agg(c.oid::text, ',') FROM pg_class AS c JOIN pg_namespace AS n \
                ON n.oid = c.relnamespace WHERE nspname = '\(schema)' AND relkind = 'r'
                """
            ).text(0, 0)
            let named = try connection.run(
                """
                SELECT c.oid::bigint, c.relname::text FROM pg_class AS c WHERE c.oid IN (\(oids))
                """)
            let nameOf = Dictionary(
                uniqueKeysWithValues: (0..<named.count).map {
                    (named.integer($0, 0), named.text($0, 1))
                })
            #expect(nameOf.count == names.count)
            _ = try connection.run([PostgresConnection.begin(isReadOnly: false)])
            _ = try PostgresMigrator(
                derivations: PostgresDerivations(layout), chain: chain, connection: connection,
                makesBackup: false
            ).run()
            let held = try connection.run(
                """
                SELECT relation::bigint, mode FROM pg_locks WHERE pid = pg_backend_pid() AND granted \
                AND relation IN (\(oids)) AND mode IN \
                ('ShareLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock')
                """)
            var strongest: [String: String] = [:]
            let order = ["ShareLock", "ShareRowExclusiveLock", "AccessExclusiveLock"]
            for row in 0..<held.count {
                let name = try #require(nameOf[held.integer(row, 0)])
                let mode = held.text(row, 1)
                if let former = strongest[name],
                    order.firstIndex(of: former)! > order.firstIndex(of: mode)!
                {
                    continue
                }
                strongest[name] = mode
            }
            _ = try connection.run("ROLLBACK")
            let words = [
                "SHARE": "ShareLock", "SHARE ROW EXCLUSIVE": "ShareRowExclusiveLock",
                "ACCESS EXCLUSIVE": "AccessExclusiveLock",
            ]
            #expect(
                Dictionary(uniqueKeysWithValues: forecast.locks.map { ($0.table, words[$0.mode]!) })
                    == strongest)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a program asks what opening a store on a server would do`(
        _ server: PostgresServer
    ) async throws {
        let schema = PostgresServer.newSchema
        let location = StoreLocation.postgres(server.url, schema: schema)
        let connection = try server.connect()
        defer { OpeningMigrationTests().remove(schema, connection) }
        func forecast() throws -> MigrationForecast? {
            try PersistentContainer.migrationForecast(
                model: PackagesModel.Packages.model, at: location)
        }
        #expect(try forecast() == nil)
        let first = try PersistentContainer(
            model: FirstPackagesModel.Packages.model, at: location)
        let context = first.newContext()
        _ = FirstPackagesModel.Package(
            in: context, name: "bash", version: "5", architecture: "all", sectionName: "shells",
            title: "A shell", size: 1, note: "mine")
        try context.save()
        _ = try await first.close()
        let found = try #require(try forecast())
        #expect(found.versions == ["1", "2", "3"] && found.rows > 0)
        #expect(found.locks.contains { $0.table == "Package" && $0.stopsReaders })
        let opened = try PersistentContainer(model: PackagesModel.Packages.model, at: location)
        guard case .migrated(_, _, let steps, let backup) = opened.migration else {
            Issue.record("\(opened.migration)")
            return
        }
        #expect(steps.map(\.summary) == found.steps.map(\.summary))
        #expect((backup != nil) == found.makesBackup)
        #expect(try forecast() == nil)
        _ = try await opened.close()
        let other = StoreLocation.postgres("postgresql://127.0.0.1:1/none")
        let error = #expect(throws: StoreLoadingError.self) {
            try PersistentContainer.migrationForecast(
                model: PackagesModel.Packages.model, at: other)
        }
        #expect(error?.code == .cannotOpen)
    }

    @Test(arguments: PostgresServer.some())
    func `rows are counted, and room is what is written and copied`(
        _ server: PostgresServer
    ) throws {
        let (schema, connection) = try OpeningMigrationTests().makeStore(server)
        defer { OpeningMigrationTests().remove(schema, connection) }
        func forecast(_ version: Int) throws -> MigrationForecast? {
            let target = ServerTarget(
                .withoutClasses(OpeningMigrationTests.models[version - 1]),
                migrations: try OpeningMigrationTests.migrations())
            return try PostgresSurvey(PostgresSettings(server.url), schema: schema, target)
                .forecast()
        }
        #expect(try forecast(1) == nil)
        let first = try #require(try forecast(2))
        #expect(first.versions == ["1", "2"] && first.rows == 2 && !first.makesBackup)
        #expect(first.rewrittenTables == ["Item"])
        let bytes = Int(
            try connection.run(
                "SELECT pg_total_relation_size('\(SQLText.identifier(schema)).\"Item\"')"
            ).integer(0, 0))
        #expect(first.bytesNeeded == 2 * bytes && first.storeSize > bytes)
        let all = try #require(try forecast(3))
        #expect(all.versions == ["1", "2", "3"] && all.makesBackup && all.fits == nil)
        #expect(all.bytesNeeded > first.bytesNeeded)
        #expect(all.steps.contains { $0.losesData })
    }
}
