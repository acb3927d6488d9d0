import Cambium
import CambiumEngine
import CambiumEngineSpecification
import CambiumModel
import CambiumPostgres
import CambiumPostgresSQL
import Foundation
import Synchronization
import Testing

@testable import CambiumMigration
@testable import CambiumPostgresStore

/// Programs of two versions of a model on one schema.
struct TwoVersionsTests {
    /// A store of the first version with two items and a box, and the program of that version.
    private final class World {
        let server: PostgresServer
        let schema: String
        let connection: PostgresConnection
        let old: PersistentContainer

        init(_ server: PostgresServer, _ change: (inout StoreOptions) -> Void = { _ in }) throws {
            self.server = server
            (schema, connection) = try OpeningMigrationTests().makeStore(server) {
                $0.history = .values
            }
            var description = server.description(schema: schema)
            change(&description.options)
            old = try PersistentContainer(
                CompiledModel(OpeningMigrationTests.models[0]), description)
        }

        deinit { OpeningMigrationTests().remove(schema, connection) }

        /// Opens the store with the program of the second version.
        func migrate(
            _ applicationName: String? = nil, _ change: (inout StoreOptions) -> Void = { _ in }
        ) throws {
            try TwoVersionsTests.migrate(server, schema, applicationName, change)
        }

        func count(_ condition: String = "true") throws -> Int {
            Int(
                try connection.run(
                    "SELECT count(*) FROM \"\(schema)\".\"Item\" WHERE \(condition)"
                ).integer(0, 0))
        }
    }

    private static func migrate(
        _ server: PostgresServer, _ schema: String, _ applicationName: String? = nil,
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws {
        var options = StoreOptions()
        change(&options)
        var settings = PostgresSettings(server.url)
        settings.applicationName = applicationName
        try PostgresOpener(
            settings, schema: schema, .withoutClasses(OpeningMigrationTests.models[1]), options,
            migrations: try OpeningMigrationTests.migrations()
        ).open().store.close()
    }

    /// An item in the box of the store.
    private static func addItem(_ context: ManagedObjectContext, _ number: Int) throws {
        let box = try #require(
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Box")).first)
        let item = try context.insertObject(ofEntity: "Item")
        try item.setValue(.int(Int64(number)), forKey: "number")
        try item.setValue(.int(20), forKey: "size")
        item[one: "box"] = box
    }

    static func expectMigrated(
        _ error: (any Error)?, _ what: String, at location: SourceLocation = #_sourceLocation
    ) {
        let text = "\(error as Any)"
        #expect(
            (error as? StoreError)?.code == .noStore, "\(what): \(text)", sourceLocation: location)
        #expect(
            text.contains("was migrated to version 2 of Opening while it was open"),
            "\(what): \(text)", sourceLocation: location)
    }

    /// Saves one item after the other, until that fails.
    final class Saver: Sendable {
        private let state = Mutex<(count: Int, failure: (any Error)?)>((0, nil))
        private let work = Mutex<SideWork?>(nil)
        var count: Int { state.withLock { $0.count } }
        var failure: (any Error)? { state.withLock { $0.failure } }

        init(_ container: PersistentContainer) {
            let work = SideWork { [self] in
                do {
                    let context = container.newContext()
                    while true {
                        try TwoVersionsTests.addItem(context, 7)
                        try context.save()
                        state.withLock { $0.count += 1 }
                    }
                } catch {
                    state.withLock { $0.failure = error }
                }
            }
            self.work.withLock { $0 = work }
        }

        func wait(for count: Int) throws {
            let end = ContinuousClock.now + .seconds(20)
            while self.count < count {
                if let failure { throw failure }
                try #require(.now < end)
                Thread.sleep(forTimeInterval: 0.005)
            }
        }

        func join() throws { try work.withLock { $0 }?.join() }
    }

    @Test(arguments: PostgresServer.some())
    func `a program of the earlier version saves until the store is migrated, and no longer`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let savers = (0..<3).map { _ in Saver(world.old) }
        for saver in savers { try saver.wait(for: 10) }
        try world.migrate()
        for saver in savers {
            try saver.join()
            Self.expectMigrated(saver.failure, "a save")
        }
        // Each save that has succeeded is there, in the new form, and no other one.
        let count = savers.reduce(0) { $0 + $1.count }
        #expect(try world.count() == count + 2)
        #expect(try world.count("\"text\" = '7' AND \"size\" = 20") == count)
    }

    @Test(arguments: PostgresServer.some())
    func `everything that a program of the earlier version does says that the store was migrated`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let container = world.old
        let context = container.newContext()
        let items = try context.fetch(FetchRequest<ManagedObject>(entityName: "Item"))
        let number = try items[0].value(forKey: "number")
        #expect(number == .int(5))
        try world.migrate()
        try items[0].setValue(.int(8), forKey: "number")
        Self.expectMigrated(#expect(throws: (any Error).self) { try context.save() }, "a save")
        #expect(context.hasChanges)
        let other = container.newContext()
        Self.expectMigrated(
            #expect(throws: (any Error).self) {
                try other.fetch(FetchRequest<ManagedObject>(entityName: "Item"))
            }, "a fetch")
        Self.expectMigrated(
            #expect(throws: (any Error).self) {
                try other.execute(
                    BatchUpdateRequest<ManagedObject>(entityName: "Item")
                        .setValue(.int(9), forKey: "size"))
            }, "a batch")
        Self.expectMigrated(
            #expect(throws: (any Error).self) {
                try other.execute(
                    BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Item")))
            }, "a batch deletion")
        Self.expectMigrated(
            #expect(throws: (any Error).self) {
                try container.coordinator.fetchHistory(HistoryRequest())
            }, "the history")
        for isolation in [TransactionIsolation.snapshot, .serializable] {
            Self.expectMigrated(
                #expect(throws: (any Error).self) {
                    try container.coordinator.performTransaction(isolation: isolation) { _ in }
                }, "a transaction")
        }
        let store = try #require(container.coordinator.persistentStores.first)
        container.coordinator.setMetadata(["note": "old"], for: store)
        Self.expectMigrated(
            #expect(throws: (any Error).self) { try container.newContext().save() }, "a note")
        #expect(try world.count("\"text\" IN ('5', '-7') AND \"size\" IN (50, 60)") == 2)
    }

    @Test(arguments: PostgresServer.some())
    func `a migration waits for the transactions that began before it, and says so`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let container = world.old
        let phases = Mutex<[MigrationProgress.Phase]>([])
        let migration = Mutex<SideWork?>(nil)
        let schema = world.schema
        let name = UUID().uuidString
        try container.coordinator.performTransaction(isolation: .snapshot) { context in
            // It has read nothing of the tables that are to change.
            let work = SideWork {
                try Self.migrate(server, schema, name) {
                    $0.migrationProgress = { progress in
                        phases.withLock { $0.append(progress.phase) }
                    }
                }
            }
            migration.withLock { $0 = work }
            #expect(try server.isHeld(work, named: name))
            #expect(phases.withLock { $0 } == [.waiting])
            try Self.addItem(context, 11)
        }
        try migration.withLock { $0 }?.join()
        #expect(phases.withLock { $0.count } > 1)
        #expect(try world.count("\"text\" = '11'") == 1)
    }

    @Test(arguments: PostgresServer.some())
    func `a query generation holds up a migration, and is named where that is said`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let context = world.old.newContext()
        try context.setQueryGeneration(.current)
        #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Box")).count == 1)
        func namesHolder(_ text: String?) -> Bool {
            text?.contains("1 transaction (open for ") == true
                && text?.contains(" s, by \(ProcessInfo.processInfo.processName))") == true
        }
        let waits = Mutex<[String]>([])
        let error = #expect(throws: StoreError.self) {
            try world.migrate { options in
                options.busyTimeout = .milliseconds(100)
                options.migrationProgress = { progress in
                    waits.withLock { $0.append(progress.summary) }
                }
            }
        }
        #expect(error?.code == .busy)
        #expect(namesHolder(error?.message), "\(error as Any)")
        #expect(error?.remedy.contains("A query generation is one") == true)
        #expect(namesHolder(waits.withLock { $0.first }))
        func forecast() throws -> MigrationForecast? {
            try PostgresSurvey(
                PostgresSettings(server.url), schema: world.schema,
                ServerTarget(
                    .withoutClasses(OpeningMigrationTests.models[1]),
                    migrations: try OpeningMigrationTests.migrations(),
                    versions: OpeningMigrationTests.models)
            ).forecast()
        }
        let found = try #require(try forecast())
        #expect(namesHolder(found.openTransactions.words))
        try context.setQueryGeneration(.unpinned)
        #expect(try forecast()?.openTransactions == [])
        try world.migrate()
    }

    /// A snapshot that is older than a migration sees tables empty that the migration has written anew.
    @Test(arguments: PostgresServer.some(), [TransactionIsolation.snapshot, .serializable])
    func `what begins during a migration never sees the tables as they are in its middle`(
        _ server: PostgresServer, _ isolation: TransactionIsolation
    ) throws {
        let world = try World(server)
        let container = world.old
        let results = Mutex<[String]>([])
        let works = Mutex<[SideWork]>([])
        @Sendable func note(_ body: () throws -> Void) {
            do {
                try body()
                results.withLock { $0.append("done") }
            } catch {
                results.withLock { $0.append("\(error)") }
            }
        }
        // Connections, and what is prepared, exist before.
        #expect(
            try container.newContext().fetch(FetchRequest<ManagedObject>(entityName: "Item")).count
                == 2)
        try world.migrate {
            $0.migrationProgress = { progress in
                guard progress.completed == 2 else { return }
                works.withLock {
                    $0 = [
                        SideWork {
                            note {
                                let found = try container.newContext()
                                    .fetch(FetchRequest<ManagedObject>(entityName: "Item"))
                                if found.count != 2 {
                                    throw StoreError.invalidRequest("\(found.count)", remedy: "")
                                }
                            }
                        },
                        SideWork {
                            note {
                                try container.coordinator.performTransaction(isolation: isolation) {
                                    _ = try $0.fetch(
                                        FetchRequest<ManagedObject>(entityName: "Item"))
                                }
                            }
                        },
                        SideWork {
                            note {
                                let context = container.newContext()
                                try Self.addItem(context, 1)
                                try context.save()
                            }
                        },
                    ]
                }
                Thread.sleep(forTimeInterval: 0.3)
            }
        }
        for work in works.withLock({ $0 }) { try work.join() }
        let texts = results.withLock { $0 }
        #expect(texts.count == 3)
        for text in texts { #expect(text.contains("was migrated to version 2"), "\(text)") }
    }

    private static func counter(_ type: AttributeType, version: String) -> Model {
        Model(
            name: "Opening", version: version,
            entities: [Entity(name: "Row", attributes: [Attribute(name: "number", type: type)])])
    }

    @Test(arguments: PostgresServer.some())
    func `a table that a migration writes anew is never seen empty`(
        _ server: PostgresServer
    ) throws {
        let models = [
            Self.counter(.int32, version: "1"), Self.counter(.int64, version: "2"),
        ]
        let migration = try PostgresMigration.migration(from: models[0], to: models[1])
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(
            CompiledModel(models[0]), server.description(schema: schema))
        let context = container.newContext()
        for number in 0..<2 {
            try context.insertObject(ofEntity: "Row").setValue(
                .int(Int64(number)), forKey: "number")
        }
        try context.save()
        let request = FetchRequest<ManagedObject>(entityName: "Row")
        let counts = Mutex<[Int]>([])
        let works = Mutex<[SideWork]>([])
        @Sendable func read(_ body: @escaping @Sendable () throws -> Int) {
            let work = SideWork {
                do {
                    let count = try body()
                    counts.withLock { $0.append(count) }
                } catch {
                    Self.expectMigrated(error, "a read")
                }
            }
            works.withLock { $0.append(work) }
        }
        var options = StoreOptions()
        options.migrationProgress = { _ in
            read { try container.newContext().fetch(request).count }
            read { try container.newContext().count(for: request) }
            read {
                try container.coordinator.performTransaction(isolation: .snapshot) {
                    try $0.count(for: request)
                }
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
        try PostgresOpener(
            PostgresSettings(server.url), schema: schema, .withoutClasses(models[1]), options,
            migrations: [migration]
        ).open().store.close()
        for work in works.withLock({ $0 }) { try work.join() }
        #expect(counts.withLock { $0.allSatisfy { $0 == 2 } && !$0.isEmpty })
    }

    @Test(arguments: PostgresServer.some())
    func `a program of the earlier version goes on where a migration is killed`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let saver = Saver(world.old)
        try saver.wait(for: 5)
        let name = UUID().uuidString
        for number in [0, 3] {
            #expect(throws: (any Error).self) {
                try world.migrate(name) {
                    $0.migrationProgress = { progress in
                        guard progress.phase == .migration, progress.completed == number else {
                            return
                        }
                        _ = try? server.connect().run(
                            """
                            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity \
                            WHERE application_name = '\(name)'
                            """)
                    }
                }
            }
            try saver.wait(for: saver.count + 5)
        }
        try world.migrate()
        try saver.join()
        Self.expectMigrated(saver.failure, "a save")
        #expect(try world.count() == saver.count + 2)
    }

    @Test(arguments: PostgresServer.some())
    func `who waits for another program that migrates says so, and no longer than busyTimeout`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server) { $0.busyTimeout = .milliseconds(200) }
        let (container, schema) = (world.old, world.schema)
        let found = Mutex<[(any Error)?]>([])
        let waits = Mutex(0)
        let count = try container.newContext().count(
            for: FetchRequest<ManagedObject>(entityName: "Box"))
        #expect(count == 1)
        try world.migrate {
            $0.migrationProgress = { progress in
                guard progress.completed == 1, found.withLock({ $0.isEmpty }) else { return }
                let opening = #expect(throws: StoreError.self) {
                    try Self.migrate(server, schema) {
                        $0.busyTimeout = .milliseconds(100)
                        $0.migrationProgress = { progress in
                            waits.withLock { $0 += progress.phase == .waiting ? 1 : 0 }
                        }
                    }
                }
                let saving = #expect(throws: StoreError.self) {
                    try Self.addItem(container.newContext(), 3)
                }
                found.withLock { $0 = [opening, saving] }
            }
        }
        #expect(waits.withLock { $0 } == 1)
        let errors = found.withLock { $0.compactMap { $0 as? StoreError } }
        #expect(errors.map(\.code) == [.busy, .busy])
        #expect("\(errors)".contains("opening or migrating the store in the schema"))
        #expect("\(errors)".contains("Another program has been migrating the store"))
    }
}
