import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// What is said of a migration before it runs.
struct MigrationForecastTests {
    private typealias Store = TestStore

    private static let models = [
        Store.model(
            "1",
            [
                Entity(name: "A", attributes: [Store.string("name"), Store.string("gone")]),
                Entity(name: "B", attributes: [Store.string("word")]),
            ]),
        Model(
            name: "Shop", version: "2",
            entities: [
                Entity(name: "Renamed", renamedFrom: "A", attributes: [Store.string("name")]),
                Entity(
                    name: "B",
                    attributes: [Store.string("word"), Store.string("more", optional: true)]),
            ],
            migration: MigrationDeclaration(
                from: "1", drops: [.init(entity: "A", property: "gone", reason: "a test")])),
        Model(
            name: "Shop", version: "3",
            entities: [
                Entity(
                    name: "Renamed", attributes: [Store.string("title", from: "name")]),
                Entity(
                    name: "B",
                    attributes: [Store.string("word"), Store.string("more", optional: true)]),
            ]),
    ]

    private var runner: MigrationRunner {
        get throws {
            MigrationRunner(
                model: Self.models[2],
                migrations: [
                    try Migration(from: Self.models[0], to: Self.models[1]),
                    try Migration(from: Self.models[1], to: Self.models[2]),
                ])
        }
    }

    private func store() throws -> Connection {
        let connection = try MigrationProver.makeStore(of: Self.models[0], seed: nil)
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
            INSERT INTO A (_id, name, gone) SELECT i, 'a name that takes some room', 'x' FROM n;
            INSERT INTO B (_id, word) VALUES (1, 'a'), (2, 'b')
            """)
        return connection
    }

    @Test func `a forecast tells the steps, their rows and the room that they need`() throws {
        let connection = try store()
        let before = try Store.dump(connection)
        let runner = try runner
        let forecast = try #require(try runner.forecast(connection, at: nil))
        #expect(forecast.from == "1" && forecast.to == "3")
        #expect(forecast.steps.map(\.summary) == runner.migrations.flatMap(\.steps).map(\.summary))
        #expect(forecast.kind == .lossy && forecast.makesBackup)
        // Renamed is copied, B gets a column, and what was copied is followed to the last step.
        let copies = forecast.steps.filter { $0.summary.contains("Renamed") && $0.rows > 0 }
        #expect(!copies.isEmpty && copies.allSatisfy { $0.rows == 400 })
        #expect(
            forecast.steps.filter { $0.summary.contains("Change B") }.allSatisfy { $0.rows == 0 })
        #expect(forecast.storeSize >= 400 * 30)
        #expect(forecast.bytesNeeded > forecast.storeSize)
        #expect(forecast.freeSpace == nil && forecast.fits == nil)
        #expect(forecast.differences.isEmpty)
        #expect(try Store.dump(connection) == before)
    }

    @Test func `there is none for a store of the program's version, or for no store`() throws {
        let runner = try runner
        let connection = try store()
        _ = try runner.open(connection)
        #expect(try runner.forecast(connection, at: nil) == nil)
        #expect(try runner.forecast(Connection(path: ":memory:"), at: nil) == nil)
    }

    @Test func `what another program has changed is part of it`() throws {
        let runner = try runner
        let connection = try store()
        _ = try runner.open(connection)
        try connection.execute("ALTER TABLE B ADD COLUMN extra TEXT")
        let forecast = try #require(try runner.forecast(connection, at: nil))
        #expect(forecast.steps.isEmpty && forecast.kind == .additive)
        #expect(forecast.differences.map(\.name) == ["B"])
        #expect(forecast.makesBackup)
    }

    @Test func `a store that the program cannot open has none`() throws {
        let connection = try store()
        let other = Model(name: "Other", version: "1", entities: [])
        #expect(throws: MigrationError.otherModel(store: "Shop", program: "Other")) {
            try MigrationRunner(model: other).forecast(connection, at: nil)
        }
    }

    @Test func `the disk of the file is asked`() throws {
        let folder = FileManager.default.temporaryDirectory
        let forecast = try #require(
            try runner.forecast(store(), at: folder.appending(path: "store").path()))
        #expect(try #require(forecast.freeSpace) > 0)
        #expect(forecast.fits == (try #require(forecast.freeSpace) >= forecast.bytesNeeded))
    }
}
