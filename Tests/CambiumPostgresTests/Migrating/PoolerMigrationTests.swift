import CambiumEngine
import CambiumModel
import CambiumPostgres
import CambiumSQLite
import Foundation
import Synchronization
import Testing

@testable import CambiumMigration
@testable import CambiumPostgresStore

/// Stores behind PgBouncer that are migrated and moved.
@Suite(.onPooler)
struct PoolerMigrationTests {
    @Test(.timeLimit(.minutes(1)), arguments: PostgresServer.some())
    func `of several programs behind a pooler one migrates, and earlier programs are refused`(
        _ server: PostgresServer
    ) throws {
        try Pooler.with(server) { pooler in
            let (schema, connection) = try OpeningMigrationTests().makeStore(server) {
                $0.history = .values
            }
            defer { OpeningMigrationTests().remove(schema, connection) }
            let old = try PersistentContainer(
                CompiledModel(OpeningMigrationTests.models[0]),
                StoreDescription(location: pooler.location(schema: schema)))
            let savers = (0..<3).map { _ in TwoVersionsTests.Saver(old) }
            for saver in savers { try saver.wait(for: 10) }
            let outcomes = Mutex<[MigrationOutcome]>([])
            let openers = (0..<3).map { _ in
                SideWork {
                    let opened = try PostgresOpener(
                        pooler.settings, schema: schema,
                        .withoutClasses(OpeningMigrationTests.models[1]), StoreOptions(),
                        migrations: try OpeningMigrationTests.migrations()
                    ).open()
                    opened.store.close()
                    outcomes.withLock { $0.append(opened.migration) }
                }
            }
            for opener in openers { try opener.join() }
            let migrated = outcomes.withLock { $0 }.filter {
                if case .migrated(from: "1", to: "2", _, _) = $0 { true } else { false }
            }
            #expect(migrated.count == 1)
            #expect(outcomes.withLock { $0.filter { $0 == .current }.count } == 2)
            for saver in savers {
                try saver.join()
                TwoVersionsTests.expectMigrated(saver.failure, "a save")
            }
            let count = savers.reduce(0) { $0 + $1.count }
            let found = try connection.run(
                """
                SELECT count(*), count(*) FILTER (WHERE "text" = '7' AND "size" = 20) \
                FROM "\(schema)"."Item"
                """)
            #expect(found.integer(0, 0) == Int64(count + 2))
            #expect(found.integer(0, 1) == Int64(count))
            let error = #expect(throws: StoreLoadingError.self) {
                try PersistentContainer(
                    CompiledModel(OpeningMigrationTests.models[0]),
                    StoreDescription(location: pooler.location(schema: schema)))
            }
            #expect(error?.code == .unknownVersion)
            #expect("\(error as Any)".contains("version 2 of the model"))
            try pooler.expectNoTraces()
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: PostgresServer.some())
    func `a migration that waits behind a pooler ends when that is wanted`(
        _ server: PostgresServer
    ) throws {
        try Pooler.with(server) { pooler in
            let (schema, connection) = try OpeningMigrationTests().makeStore(server)
            defer { OpeningMigrationTests().remove(schema, connection) }
            let other = try server.connect()
            _ = try other.run([
                PostgresConnection.begin(isReadOnly: false),
                PostgresStatement("LOCK TABLE \"\(schema)\".\"_metadata\" IN SHARE MODE"),
            ])
            var options = StoreOptions()
            options.busyTimeout = .seconds(60)
            options.migrationProgress = { _ in }
            let start = ContinuousClock.now
            options.isMigrationCancelled = { ContinuousClock.now > start + .milliseconds(400) }
            #expect(throws: MigrationError.cancelled) {
                try PostgresOpener(
                    pooler.settings, schema: schema,
                    .withoutClasses(OpeningMigrationTests.models[1]), options,
                    migrations: try OpeningMigrationTests.migrations()
                ).open()
            }
            #expect(ContinuousClock.now < start + .seconds(20))
            _ = try other.run("ROLLBACK")
            try pooler.expectNoTraces()
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: PostgresServer.some())
    func `the tool moves, checks and migrates stores behind a pooler`(
        _ server: PostgresServer
    ) throws {
        try Pooler.with(server) { pooler in
            try MoveCommandTests().withStore { path, model in
                try Connection(path: path).execute(
                    """
                    WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 500) \
                    INSERT INTO "Note" ("_id", "title", "date") SELECT k, 'note ' || k, k FROM n
                    """)
                for number in 0..<3 {
                    let schema = "pooler_\(UUID().uuidString)"
                    defer { try? server.drop(schema) }
                    let url = "\(pooler.url)#\(schema)"
                    for words in [
                        ["move", path, url], ["check-store", url], ["status", url],
                        ["move", url, path + ".\(number)"],
                    ] {
                        let run = ToolRun(words + ["--model", model])
                        #expect(run.code == .fine, "\(words): \(run.errors)")
                    }
                }
            }
            let world = try MigrateToolTests.World(server)
            try world.makeStore()
            let url = world.url(through: pooler.url)
            for word in ["plan", "rehearse", "apply", "status"] {
                let run = ToolRun(["migrate", word, url, "--model", world.model])
                #expect(run.code == .fine, "\(word): \(run.errors)")
            }
            let forgotten = ToolRun(["migrate", "forget", url])
            #expect(forgotten.code == .fine, "\(forgotten.errors)")
            try pooler.expectNoTraces()
        }
    }
}
