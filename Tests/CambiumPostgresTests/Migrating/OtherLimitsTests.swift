import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import Foundation
import Testing

@testable import CambiumMigration
@testable import CambiumPostgresStore

/// Stores whose model has the same version hash as the program's, but other limits, rules, defaults or
/// indexes.
struct OtherLimitsTests {
    private final class Object {}

    private static func item(
        _ limits: Limits, default defaultValue: DefaultValue? = nil,
        indexes: [Index] = []
    ) -> Entity {
        Entity(
            name: "Item",
            attributes: [
                Attribute(name: "size", type: .int64, defaultValue: defaultValue, limits: limits),
                Attribute(name: "width", type: .int64),
            ], indexes: indexes)
    }

    private static func index(_ name: String) -> Index {
        Index(elements: [IndexElement(property: name)])
    }

    /// Forms of one version. Each has something that the one before has not, and the other way round.
    private static let forms = [
        item(Limits(maximum: .int(100)), indexes: [index("size")]),
        item(Limits(minimum: .int(10)), default: .constant(.int(20)), indexes: [index("width")]),
        item(Limits(minimum: .int(5), maximum: .int(100))), item(Limits()),
    ]

    private static func model(_ form: Int, version: String = "1") -> Model {
        Model(name: "Limits", version: version, entities: [forms[form]])
    }

    private struct World {
        let server: PostgresServer
        let schema = "limits \(UUID().uuidString)"
        let connection: PostgresConnection
        var name: String { SQLText.identifier(schema) }

        init(_ server: PostgresServer) throws {
            self.server = server
            connection = try server.connect()
            try open(model(0)).store.close()
            _ = try connection.run(
                "INSERT INTO \(name).\"Item\" (\"_id\", \"size\", \"width\") VALUES (1, 8, 0), (2, 50, 0)"
            )
        }

        func remove() { _ = try? connection.run("DROP SCHEMA \(name) CASCADE") }

        @discardableResult
        func open(
            _ model: Model, _ migrations: [Migration] = [],
            _ change: (inout StoreOptions) -> Void = { _ in }
        ) throws -> (store: any StoreEngine, migration: MigrationOutcome) {
            var options = StoreOptions()
            change(&options)
            let opened = try PostgresOpener(
                PostgresSettings(server.url), schema: schema,
                ModelDescription(model, types: [:], common: Object.self), options,
                migrations: migrations
            ).open()
            opened.store.close()
            return opened
        }

        /// What differs from a new store of a model, with what nobody knows.
        func differences(from model: Model) throws -> [String] {
            let layout = PostgresLayout(
                ModelDescription(model, types: [:], common: Object.self), schema: schema)
            return try PostgresDrift(layout: layout, connection: connection).differences()
                .map(\.name)
        }

        func version() throws -> String {
            try connection.run(
                "SELECT \"value\" FROM \(name).\"_metadata\" WHERE \"name\" = 'version'"
            ).text(0, 0)
        }

        func target(_ model: Model, _ migrations: [Migration] = []) -> ServerTarget {
            ServerTarget(
                ModelDescription(model, types: [:], common: Object.self), migrations: migrations)
        }
    }

    @Test(arguments: PostgresServer.some(), [(0, 2), (0, 3), (2, 0), (3, 2)])
    func `limits, defaults and indexes are brought up to date`(
        _ server: PostgresServer, _ forms: (old: Int, new: Int)
    ) throws {
        let world = try World(server)
        defer { world.remove() }
        try world.open(Self.model(forms.old))
        _ = try world.connection.run("UPDATE \(world.name).\"Item\" SET \"size\" = 8")
        let new = Self.model(forms.new)
        #expect(try !world.differences(from: new).isEmpty)
        #expect(try world.open(new).migration == .refreshed(backup: nil))
        #expect(try world.differences(from: new) == [])
        #expect(try world.open(new).migration == .current)
        let count = try world.connection.run("SELECT count(*) FROM \(world.name).\"Item\"")
        #expect(count.integer(0, 0) == 2)
    }

    @Test(arguments: PostgresServer.some())
    func `a row that does not meet a new limit is named`(_ server: PostgresServer) throws {
        let world = try World(server)
        defer { world.remove() }
        let error = #expect(throws: MigrationError.self) { try world.open(Self.model(1)) }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.constraint == "Item.size.min")
        #expect(refusal.entity == "Item")
        #expect(refusal.objects == [1])
        // The store is as it was.
        #expect(try world.differences(from: Self.model(0)) == [])
        #expect(try world.open(Self.model(0)).migration == .current)
    }

    @Test(arguments: PostgresServer.some())
    func `a version that changes only limits is migrated to`(_ server: PostgresServer) throws {
        let world = try World(server)
        defer { world.remove() }
        let new = Self.model(2, version: "2")
        let migrations = [try PostgresMigration.migration(from: Self.model(0), to: new)]
        let opened = try world.open(new, migrations).migration
        guard case .migrated(from: "1", to: "2", _, _) = opened else {
            Issue.record("\(opened)")
            return
        }
        #expect(try world.differences(from: new) == [])
        #expect(try world.version() == "2")
        // Without a plan, the names of versions differ, and nothing else that is stored.
        let third = Self.model(3, version: "3")
        #expect(try world.open(third).migration == .refreshed(backup: nil))
        #expect(try world.version() == "3")
        #expect(throws: MigrationError.newerVersion(store: "3", program: "2")) {
            try world.open(new, migrations)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `other limits do not matter to programs that change nothing`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        defer { world.remove() }
        let new = Self.model(2)
        #expect(try world.open(new) { $0.migratesAutomatically = false }.migration == .current)
        #expect(try world.open(new) { $0.isReadOnly = true }.migration == .current)
        #expect(try world.differences(from: Self.model(0)) == [])
        // Others' changes do.
        _ = try world.connection.run("DROP TABLE \(world.name).\"_keys\"")
        #expect(throws: MigrationError.self) { try world.open(new) }
    }

    @Test(arguments: PostgresServer.some())
    func `a survey, a forecast and a rehearsal know of other limits`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        defer { world.remove() }
        let stores = PostgresMigrations(PostgresSettings(server.url), schema: world.schema)
        let target = world.target(Self.model(2))
        let survey = try #require(try stores.survey(target))
        #expect(survey.hasWork && survey.versions.isEmpty && survey.differences.isEmpty)
        let forecast = try #require(try stores.forecast(target))
        #expect(forecast.locks.map(\.table) == ["Item"])
        let rehearsal = try #require(try stores.rehearse(target))
        #expect(rehearsal.failure == nil)
        let refused = try #require(try stores.rehearse(world.target(Self.model(1))))
        #expect(refused.failure is MigrationError)
        #expect(try world.differences(from: Self.model(0)) == [])
        try world.open(Self.model(2))
        #expect(try stores.survey(target)?.hasWork == false)
        #expect(try stores.forecast(target) == nil)
    }

    @Test(arguments: PostgresServer.some())
    func `checks of other programs stay, and are differences`(_ server: PostgresServer) throws {
        let world = try World(server)
        defer { world.remove() }
        let table = "\(world.name).\"Item\""
        _ = try world.connection.run("ALTER TABLE \(table) ADD CONSTRAINT mine CHECK (width < 9)")
        #expect(throws: MigrationError.self) { try world.open(Self.model(2)) }
        #expect(
            try world.open(Self.model(2)) { $0.driftPolicy = .report }.migration
                == .refreshed(backup: nil))
        let checks = try world.connection.run(
            "SELECT conname::text FROM pg_constraint WHERE conrelid = \(SQLText.literal(table))::regclass "
                + "AND contype = 'c' ORDER BY 1")
        #expect(
            (0..<checks.count).map { checks.text($0, 0) } == [
                "Item.size.max", "Item.size.min", "mine",
            ])
        // Who does not leave them alone finds them.
        #expect(throws: MigrationError.self) { try world.open(Self.model(2)) }
    }
}
