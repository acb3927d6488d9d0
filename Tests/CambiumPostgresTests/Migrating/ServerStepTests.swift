import CambiumEngine
import CambiumEngineSpecification
import CambiumModel
import CambiumPlan
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Foundation
import Synchronization
import Testing

@_spi(Generated) @testable import CambiumMigration
@testable import CambiumPostgresStore
@testable import MigrationTestSupport

/// Steps of the program in migrations of stores on a server.
struct ServerStepTests {
    private typealias Sample = StepSample
    private typealias Context = StepSample.Context
    private typealias V1 = StepSample.V1
    private typealias V2 = StepSample.V2

    /// Migrates the sample on both engines.
    private func outcome(
        _ server: PostgresServer, _ body: @escaping @Sendable (Context) throws -> Void
    ) throws -> PostgresProof.Outcome {
        let proof = try PostgresProof([Sample.first, Sample.second], code: [Sample.step(body)])
        let plans = try #require(try proof.plans())
        return try proof.run(plans, on: Sample.store(), over: server.connect())
    }

    private struct Oops: Error {}

    /// Steps that are right.
    private static let right: [(name: String, body: @Sendable (Context) throws -> Void)] = [
        ("all settled", Sample.settle),
        (
            "one inserted, one deleted",
            { context in
                try Sample.settle(context)
                let place = try context.insert(V2.PlaceRow(name: "Paris"))
                try context.insert(V2.PersonRow(firstName: "Marie", home: place))
                try context.delete(
                    context.newID(of: RowID<V1.PersonRow>(key: 5), as: V2.PersonRow.self))
            }
        ),
        (
            "one replaced",
            { context in
                try Sample.settle(context)
                let ada = RowID<V1.PersonRow>(key: 1)
                let place = try context.insert(V2.PlaceRow(name: "Paris"))
                let new = try context.insert(V2.PersonRow(firstName: "Marie", home: place))
                try context.replace(ada, with: new)
                try context.update(ada, as: V2.PersonRow.self) { $0.age = Decimal(12) / 10 }
                guard try context.newID(of: ada, as: V2.PersonRow.self) == new,
                    try context.newID(of: ada, as: V2.PlaceRow.self) == nil,
                    try context.newID(of: RowID<V1.PersonRow>(key: 77), as: V2.PersonRow.self)
                        == nil,
                    try context.related(V1.PersonRow.pets, to: RowID(key: 5)).map(\.key) == [1],
                    try context.row(RowID<V2.PetRow>(key: 1))?.owner?.key == 5,
                    try context.count(of: V2.PlaceRow.self) == 3
                else { throw Oops() }
            }
        ),
    ]

    /// Steps that are wrong, for the same reason on every engine.
    private static let wrong: [(name: String, body: @Sendable (Context) throws -> Void)] = [
        (
            "an error at a row",
            { context in
                try Sample.settle(context)
                try context.forEach(V1.PersonRow.self) { if $0.name == "Grace" { throw Oops() } }
            }
        ),
        (
            "a row is forgotten",
            { context in
                let place = try context.insert(V2.PlaceRow(name: "c"))
                // The forgotten row is neither the first nor the last.
                try context.insert(V2.PersonRow(firstName: "Marie", home: place))
                try context.forEach(V1.PersonRow.self) { old in
                    guard old.name != "Alan" else { return }
                    try context.update(old.rowID, as: V2.PersonRow.self) {
                        $0.firstName = old.name
                        $0.home = place
                    }
                }
            }
        ),
        (
            "a limit is broken",
            { context in
                try Sample.settle(context)
                try context.update(RowID<V1.PersonRow>(key: 2), as: V2.PersonRow.self) {
                    $0.firstName = ""
                }
            }
        ),
        (
            "two are equal",
            { context in
                try Sample.settle(context)
                try context.insert(V2.PlaceRow(name: "London"))
            }
        ),
        (
            "an entity is not named",
            { context in
                try Sample.settle(context)
                try context.delete(RowID<V2.PetRow>(key: 1))
            }
        ),
        (
            "a decimal has too many places",
            { context in
                try Sample.settle(context)
                try context.update(RowID<V1.PersonRow>(key: 1), as: V2.PersonRow.self) {
                    $0.age = Decimal(125) / 100
                }
            }
        ),
        (
            "a text has a NUL",
            { context in
                try Sample.settle(context)
                try context.insert(V2.PlaceRow(name: "a\0b"))
            }
        ),
        (
            "there is no such row",
            { context in
                try Sample.settle(context)
                try context.update(RowID<V2.PersonRow>(key: 99)) { $0.firstName = "?" }
            }
        ),
    ]

    @Test(arguments: PostgresServer.all)
    func `a step gives the rows that it gives in a file`(_ server: PostgresServer) throws {
        for (name, body) in Self.right {
            #expect(try outcome(server, body) == .migrated(rows: 7), "\(name)")
        }
    }

    @Test(arguments: PostgresServer.all)
    func `a step that is wrong is refused as in a file, in the same words`(
        _ server: PostgresServer
    ) throws {
        for (name, body) in Self.wrong {
            #expect(try outcome(server, body) == .refused, "\(name)")
        }
    }

    @Test(arguments: PostgresServer.some())
    func `steps are proven with generated rows`(_ server: PostgresServer) throws {
        let versions = [
            (Sample.first, Sample.second), (WideStepSample.first, WideStepSample.second),
        ]
        for (old, new) in versions {
            let proof = try PostgresProof([old, new])
            let plans = try #require(try proof.plans())
            let seen = try proof.prove(plans, seeds: 0..<4, on: PostgresSettings(server.url))
            #expect(seen.rows > 0, "\(new)")
        }
    }

    @Test(arguments: PostgresServer.all)
    func `a step writes values of every type, lists and pairs as in a file`(
        _ server: PostgresServer
    ) throws {
        let proof = try PostgresProof(
            [WideStepSample.first, WideStepSample.second], code: [WideStepSample.step])
        let plans = try #require(try proof.plans())
        let connection = try server.connect()
        let match = ModelMatch(old: WideStepSample.first, new: WideStepSample.second)
        var rows = 0
        for seed in TestSize.sample(Array(UInt64(0)..<40), oneIn: 5) {
            for content in [SampleRows.Content.ordinary, .extremesWhereTypesStay] {
                let file = try proof.file(
                    SampleRows(of: WideStepSample.first, for: match, seed: seed, content: content))
                let outcome = try proof.run(plans, on: file, over: connection)
                guard case .migrated(let count) = outcome else {
                    let runner = MigrationRunner(
                        model: WideStepSample.second, migrations: plans.file)
                    runner.code = [WideStepSample.step]
                    let error = #expect(throws: MigrationStepError.self) {
                        try runner.open(
                            proof.file(
                                SampleRows(
                                    of: WideStepSample.first, for: match, seed: seed,
                                    content: content)))
                    }
                    Issue.record("seed \(seed): \(String(describing: error))")
                    continue
                }
                rows += count
            }
        }
        #expect(rows > 100)
    }

    // MARK: Stores

    private func opener(
        _ server: PostgresServer, _ schema: String, _ model: Model = Sample.second,
        _ code: [CodeStep] = [], application: String? = nil,
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> PostgresOpener {
        var options = StoreOptions()
        change(&options)
        var settings = PostgresSettings(server.url)
        settings.applicationName = application
        return PostgresOpener(
            settings, schema: schema, .withoutClasses(model), options,
            migrations: [try PostgresMigration.migration(from: Sample.first, to: Sample.second)],
            code: code)
    }

    /// A store of the first version.
    private func makeStore(
        _ server: PostgresServer
    ) throws -> (schema: String, connection: PostgresConnection) {
        let schema = "steps \(UUID().uuidString)"
        try opener(server, schema, Sample.first).open().store.close()
        let connection = try server.connect()
        let name = SQLText.identifier(schema)
        _ = try connection.run(
            [
                """
                INSERT INTO \(name)."Person" ("_id", "name", "city") VALUES \
                (1, 'Ada', 'London'), (2, 'Grace', 'New York'), (5, 'Alan', 'London')
                """,
                "INSERT INTO \(name).\"Pet\" (\"_id\", \"name\", \"owner\") VALUES (1, 'Rex', 5)",
                "UPDATE \(name).\"_keys\" SET \"next\" = 9",
            ].map { PostgresStatement($0) })
        return (schema, connection)
    }

    private func remove(_ schema: String, _ connection: PostgresConnection) {
        _ = try? PostgresBackup.removeAll(of: schema, connection)
        _ = try? connection.run("DROP SCHEMA \(SQLText.identifier(schema)) CASCADE")
    }

    /// Makes sure that a store is one of the first version, with all that it had.
    private func requireOld(
        _ server: PostgresServer, _ schema: String, _ connection: PostgresConnection
    ) throws {
        let (store, outcome) = try opener(server, schema, Sample.first).open()
        store.close()
        #expect(outcome == .current)
        let rows = try connection.run(
            "SELECT \"name\" FROM \(SQLText.identifier(schema)).\"Person\" ORDER BY \"_id\"")
        #expect((0..<rows.count).map { rows.text($0, 0) } == ["Ada", "Grace", "Alan"])
        #expect(try PostgresBackup.names(of: schema, connection) == [])
    }

    @Test(arguments: PostgresServer.some())
    func `opening a store runs the steps, keeps copies and tells how far it is`(
        _ server: PostgresServer
    ) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        let progress = Mutex<[MigrationProgress]>([])
        let opened = try opener(server, schema, Sample.second, [Sample.step(Sample.settle)]) {
            $0.migrationProgress = { step in progress.withLock { $0.append(step) } }
        }.open()
        opened.store.close()
        guard case .migrated("1", "2", _, let backup?) = opened.migration else {
            Issue.record("\(opened.migration)")
            return
        }
        #expect(try PostgresBackup.names(of: schema, connection) == [backup])
        let steps = progress.withLock { $0 }
        #expect(steps.contains { $0.summary == "Run settle of the program" })
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.fraction <= $1.fraction })
        #expect(steps.last?.phase == .verification)
        let again = try opener(server, schema).open()
        again.store.close()
        #expect(again.migration == .current)
    }

    @Test(arguments: PostgresServer.some())
    func `a step that nobody supplies changes nothing`(_ server: PostgresServer) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        #expect(throws: MigrationError.codeIsMissing(steps: ["settle"])) {
            try opener(server, schema).open()
        }
        try requireOld(server, schema, connection)
    }

    @Test(arguments: PostgresServer.some())
    func `a step that fails or leaves a wrong row leaves the store as it was`(
        _ server: PostgresServer
    ) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        for (name, body) in Self.wrong {
            let error = #expect(throws: MigrationStepError.self, "\(name)") {
                try opener(server, schema, Sample.second, [Sample.step(body)]).open()
            }
            #expect(error?.step == "settle", "\(name)")
            try requireOld(server, schema, connection)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a step whose connection is cut leaves the store as it was`(
        _ server: PostgresServer
    ) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        let application = "step \(UUID().uuidString)"
        let step = Sample.step { context in
            try context.forEach(V1.PersonRow.self) { old in
                guard old.name == "Grace" else { return }
                _ = try server.connect().run(
                    """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity \
                    WHERE application_name = '\(application)'
                    """)
                try context.update(old.rowID, as: V2.PersonRow.self) { $0.firstName = "?" }
            }
        }
        let error = #expect(throws: StoreError.self) {
            try opener(server, schema, Sample.second, [step], application: application).open()
        }
        #expect(error?.serverFailure != nil)
        try requireOld(server, schema, connection)
    }

    @Test(arguments: PostgresServer.some())
    func `a step ends when the migration is cancelled`(_ server: PostgresServer) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        let isCancelled = Flag()
        let step = Sample.step { context in
            isCancelled.set()
            try Sample.settle(context)
        }
        #expect(throws: MigrationError.cancelled) {
            try opener(server, schema, Sample.second, [step]) { options in
                options.isMigrationCancelled = { isCancelled.isSet }
            }.open()
        }
        try requireOld(server, schema, connection)
    }

    @Test(arguments: PostgresServer.some())
    func `a date that the server cannot keep is the mistake of the step`(
        _ server: PostgresServer
    ) throws {
        let connection = try server.connect()
        let trial = try connection.transaction {
            _ = try connection.run("CREATE TEMPORARY TABLE \"_step_Date\" (\"moment\" timestamptz)")
            _ = try connection.run("SET LOCAL search_path = pg_temp")
            let schema = try connection.run("SELECT current_schema()::text").text(0, 0)
            let layout = PostgresLayout(.withoutClasses(Sample.second), schema: schema)
            let store = try PostgresStepConnection(connection, layout, Interruption())
            defer { store.close() }
            #expect(store.hasTable("_step_Date") && !store.hasTable("_step_Other"))
            return [1e9, 1e15, .infinity, .nan].map {
                store.keeps(.real($0), in: "moment", of: "_step_Date")
            }
        }
        #expect(trial == [true, false, false, false])
    }
}

/// Something that is set on one thread and read on any.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
