import CambiumEngine
import CambiumMigrationCommand
import CambiumModel
import CambiumPostgres
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import Foundation
import Synchronization
import Testing

@_spi(Generated) @testable import Cambium
@_spi(Generated) @testable import CambiumMigration
@testable import CambiumPostgresStore
@testable import MigrationTestSupport

/// The command of a program for its stores, with a store on a server.
struct ServerCommandTests {
    private final class Object {}

    /// What the compiler would make of the sample, where its model named the engine.
    private static func compiled() throws -> CompiledModel {
        CompiledModel(
            model: StepSample.second, schema: [], migrations: [],
            otherMigrations: [
                "postgres": [
                    try PostgresMigration.migration(from: StepSample.first, to: StepSample.second)
                ]
            ], isFrozen: true, drafts: [:],
            describe: { ModelDescription(StepSample.second, types: [:], common: Object.self) })
    }

    private static func stepped() throws -> SteppedModel<Int> {
        SteppedModel(
            try compiled(), steps: { _ in [StepSample.step(StepSample.settle)] }, proofs: { [] })
    }

    /// A store of the first version.
    private func withStore(
        _ server: PostgresServer, _ body: (_ schema: String, PostgresConnection) throws -> Void
    ) throws {
        let schema = "command_\(UUID().uuidString.prefix(8))"
        let connection = try server.connect()
        defer {
            _ = try? PostgresBackup.removeAll(of: schema, connection)
            _ = try? connection.run("DROP SCHEMA \(SQLText.identifier(schema)) CASCADE")
        }
        try PostgresOpener(
            PostgresSettings(server.url), schema: schema, .withoutClasses(StepSample.first),
            StoreOptions()
        ).open().store.close()
        let name = SQLText.identifier(schema)
        _ = try connection.run(
            """
            INSERT INTO \(name)."Person" ("_id", "name", "city") \
            VALUES (1, 'Ada', 'London'), (2, 'Grace', NULL)
            """)
        _ = try connection.run("UPDATE \(name).\"_keys\" SET \"next\" = 3")
        try body(schema, connection)
    }

    private func run(
        _ model: CompiledModel, _ words: [String], takesServers: Bool = true
    ) -> (code: Int32, output: String, errors: String) {
        let texts = Mutex((output: "", errors: ""))
        var command = MigrationCommand(model: model)
        command.write = { text in texts.withLock { $0.output += text } }
        command.writeError = { text in texts.withLock { $0.errors += text } }
        if takesServers { command.server = { .postgres($0, schema: $1) } }
        let code = command.run(words)
        return texts.withLock { (code, $0.output, $0.errors) }
    }

    @Test(arguments: PostgresServer.some())
    func `a store that differs is repaired by a program, and not by the command`(
        _ server: PostgresServer
    ) throws {
        let model = try Self.stepped().performing(1)
        try withStore(server) { schema, connection in
            let url = "\(server.url)#\(schema)"
            #expect(run(model, ["apply", url]).code == 0)
            _ = try connection.run(
                """
                ALTER TABLE \(SQLText.identifier(schema))."Person" \
                ALTER COLUMN "_version" DROP DEFAULT
                """)
            let refused = run(model, ["apply", url])
            #expect(refused.code != 0)
            #expect(
                refused.errors.contains(
                    "let the drift policy repair of the store's options repair it, or let"),
                "\(refused)")
        }
    }

    @Test(arguments: PostgresServer.some())
    func `the command takes the URL of a server wherever it takes a file`(
        _ server: PostgresServer
    ) throws {
        let model = try Self.stepped().performing(1)
        try withStore(server) { schema, connection in
            let url = "\(server.url)#\(schema)"
            let status = run(model, ["status", url])
            #expect(status.code == 6 && status.output.contains("settle"), "\(status)")
            let plan = run(model, ["plan", url])
            #expect(plan.code == 0 && plan.output.contains("runs settle of the program"), "\(plan)")
            let rehearsal = run(model, ["rehearse", url])
            #expect(rehearsal.code == 0, "\(rehearsal)")
            #expect(run(model, ["status", url]).code == 6)
            let without = run(try Self.compiled(), ["apply", url])
            #expect(without.code == 7 && without.errors.contains("settle"), "\(without)")
            let apply = run(model, ["apply", url, "--json"])
            #expect(apply.code == 0 && apply.output.contains("\"migrated\""), "\(apply)")
            #expect(run(model, ["status", url]).code == 0)
            let check = run(model, ["check-store", url])
            #expect(check.code == 0, "\(check)")
            let copies = try PostgresBackup.names(of: schema, connection)
            #expect(copies.count == 1)
            let forgotten = run(model, ["forget", url])
            #expect(forgotten.code == 0 && forgotten.output.contains(copies[0]), "\(forgotten)")
            #expect(try PostgresBackup.names(of: schema, connection) == [])
        }
    }

    @Test(arguments: PostgresServer.some())
    func `what cannot be done with a server is said`(_ server: PostgresServer) throws {
        let model = try Self.compiled()
        let url = "\(server.url)#nobody"
        #expect(run(model, ["status", url]).code == 0)
        #expect(run(model, ["apply", url]).code == 4)
        #expect(run(model, ["apply", url, "--drift", "repair"]).code == 2)
        #expect(run(model, ["apply", url], takesServers: false).code == 2)
        let lost = run(model, ["status", "postgresql://ada:sesame@127.0.0.1:1/shop"])
        #expect(lost.code == 7 && !lost.errors.contains("sesame"), "\(lost)")
    }

    @Test(arguments: PostgresServer.some())
    func `a container runs the steps, and a forecast names them`(_ server: PostgresServer) throws {
        let model = try Self.stepped()
        try withStore(server) { schema, _ in
            let location = StoreLocation.postgres(server.url, schema: schema)
            let forecast = try PersistentContainer.migrationForecast(
                model: model, migration: 1, at: location)
            #expect(forecast?.codeSteps == ["settle"] && forecast?.makesBackup == true)
            let container = try PersistentContainer(model: model, migration: 1, at: location)
            guard case .migrated("1", "2", _, _?) = container.migration else {
                Issue.record("\(container.migration)")
                return
            }
            #expect(
                try PersistentContainer.migrationForecast(
                    model: model, migration: 1, at: location) == nil)
        }
    }

    // MARK: Cancellation

    @Test(arguments: PostgresServer.some())
    func `a migration that waits for others ends when that is wanted`(
        _ server: PostgresServer
    ) throws {
        for table in ["_metadata", "Person"] {
            try withStore(server) { schema, _ in
                let other = try server.connect()
                _ = try other.run([
                    PostgresConnection.begin(isReadOnly: false),
                    PostgresStatement(
                        "LOCK TABLE \(SQLText.identifier(schema)).\"\(table)\" IN SHARE MODE"),
                ])
                var target = ServerTarget(
                    ModelDescription(StepSample.second, types: [:], common: Object.self),
                    migrations: try Self.compiled().otherMigrations["postgres"] ?? [],
                    code: [StepSample.step(StepSample.settle)])
                let start = ContinuousClock.now
                target.isCancelled = { ContinuousClock.now > start + .milliseconds(400) }
                var options = StoreOptions()
                options.busyTimeout = .seconds(60)
                options.migrationProgress = { _ in }
                #expect(throws: MigrationError.cancelled, "\(table)") {
                    try PostgresMigrations(PostgresSettings(server.url), schema: schema)
                        .opener(target, options).open()
                }
                #expect(ContinuousClock.now < start + .seconds(20), "\(table)")
                _ = try other.run("ROLLBACK")
                let again = try PostgresOpener(
                    PostgresSettings(server.url), schema: schema,
                    .withoutClasses(StepSample.first), StoreOptions()
                ).open()
                again.store.close()
                #expect(again.migration == .current, "\(table)")
            }
        }
    }
}
