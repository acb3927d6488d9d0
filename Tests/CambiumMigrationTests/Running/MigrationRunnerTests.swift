import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

@Suite struct MigrationRunnerTests {
    private typealias Store = TestStore

    private static let first = Store.model(
        "1",
        [
            Entity(
                name: "A", attributes: [Store.string("name"), Store.string("old", optional: true)],
                relationships: [
                    Relationship(name: "bs", destination: "B", inverse: "as", isToMany: true)
                ]),
            Entity(
                name: "B",
                relationships: [
                    Relationship(name: "as", destination: "A", inverse: "bs", isToMany: true)
                ]),
        ])
    private static let second = Store.model(
        "2",
        [
            Entity(
                name: "A", attributes: [Store.string("title", from: "name")],
                relationships: [
                    Relationship(
                        name: "cs", destination: "B", inverse: "as", isToMany: true,
                        renamedFrom: "bs")
                ]),
            Entity(
                name: "B", attributes: [Store.string("kind", default: "k")],
                relationships: [
                    Relationship(name: "as", destination: "A", inverse: "cs", isToMany: true)
                ]),
        ], drops: [("A", "old")])
    private static let third = Model(
        name: "Shop", version: "3",
        entities: second.entities.map { entity in
            Entity(
                name: entity.name,
                attributes: entity.attributes.map {
                    Attribute(name: $0.name, type: $0.type, defaultValue: $0.defaultValue)
                } + [Store.string("more", optional: true)],
                relationships: entity.relationships.map {
                    Relationship(
                        name: $0.name, destination: $0.destination, inverse: $0.inverse,
                        isToMany: $0.isToMany)
                })
        })

    private var chain: [Migration] {
        get throws {
            [
                try Migration(from: Self.first, to: Self.second),
                try Migration(from: Self.second, to: Self.third),
            ]
        }
    }

    private func temporaryFile() throws -> (URL, String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return (folder, folder.appending(path: "store.sqlite").path)
    }

    @Test func `an empty database becomes a store, and stays one`() throws {
        let connection = try Connection(path: ":memory:")
        let runner = MigrationRunner(model: Self.third)
        #expect(try runner.open(connection) == .created)
        #expect(try runner.open(connection) == .current)
    }

    @Test func `a chain runs as one, after a backup where data goes`() throws {
        let (folder, path) = try temporaryFile()
        defer { try? FileManager.default.removeItem(at: folder) }
        let connection = try Connection(path: path)
        _ = try MigrationRunner(model: Self.first).open(connection)
        try connection.execute("INSERT INTO A (_id, name, old) VALUES (1, 'x', 'y')")
        let before = try Store.dump(connection)

        let outcome = try MigrationRunner(model: Self.third, migrations: chain)
            .open(connection, storePath: path)
        guard case .migrated("1", "3", let steps, let backup?) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(steps == (try chain).flatMap(\.steps))
        #expect(backup == path + ".backup-1")
        #expect(try Store.dump(Connection(path: backup)) == before)
        #expect(try Store.text(connection.rows("SELECT title, more FROM A")) == [["x", "nil"]])
        #expect(
            try Store.text(connection.rows("PRAGMA foreign_keys")) == [["1"]],
            "foreign keys are on again")
    }

    @Test func `an interruption after any statement leaves the store as it was`() throws {
        let total = try chain.flatMap(\.steps).reduce(0) { $0 + $1.sql.count }
        for stop in 0...total {
            let connection = try MigrationProver.makeStore(of: Self.first, seed: 7)
            let before = try Store.dump(connection)
            var statements = 0
            let runner = MigrationRunner(model: Self.third, migrations: try chain)
            runner.isCancelled = {
                defer { statements += 1 }
                return statements == stop
            }
            #expect(throws: MigrationError.cancelled) { try runner.open(connection) }
            #expect(try Store.dump(connection) == before, "stopped before statement \(stop)")
        }
        #expect(total > 10)
    }

    @Test func `a statement that fails leaves the store as it was`() throws {
        let good = try Migration(from: Self.first, to: Self.second)
        let count = good.steps.reduce(0) { $0 + $1.sql.count }
        for failing in 0..<count {
            var number = 0
            let steps = good.steps.map { step in
                MigrationStep(
                    summary: step.summary, kind: step.kind,
                    statements: step.statements.flatMap { statement -> [MigrationStatement] in
                        defer { number += 1 }
                        return number == failing
                            ? [statement, .init(.other, "SELECT nothing")] : [statement]
                    })
            }
            let broken = Migration(
                from: "1", to: "2", fromHash: good.fromHash, toHash: good.toHash, steps: steps)
            let connection = try MigrationProver.makeStore(of: Self.first, seed: 3)
            let before = try Store.dump(connection)
            #expect(throws: MigrationError.self) {
                try MigrationRunner(model: Self.second, migrations: [broken]).open(connection)
            }
            #expect(try Store.dump(connection) == before)
        }
    }

    @Test func `a changed rule reaches a store of the same version`() throws {
        func model(_ limits: Limits, _ version: String = "1") -> Model {
            Store.model(
                version, [Entity(name: "A", attributes: [Store.string("a", limits: limits)])])
        }
        let connection = try MigrationProver.makeStore(of: model(Limits()), seed: nil)
        try connection.execute("INSERT INTO A (_id, a) VALUES (1, 'abc')")
        let runner = MigrationRunner(model: model(Limits(minimumLength: 2)))
        #expect(try runner.open(connection) == .refreshed(backup: nil))
        #expect(try runner.open(connection) == .current)
        #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO A (_id, a) VALUES (2, 'b')")
        }
        #expect(try Store.text(connection.rows("SELECT * FROM A")) == [["1", "1", "abc"]])
        #expect(throws: MigrationError.self) {
            try MigrationRunner(model: model(Limits(minimumLength: 9))).open(connection)
        }
    }

    @Test func `a step that changes no table still changes the version`() throws {
        let old = Store.model("1", [Entity(name: "A")])
        let new = Store.model("2", [Entity(name: "A")])
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        let migration = try Migration(from: old, to: new)
        _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        let rows = try connection.rows("SELECT value FROM _metadata WHERE name = 'version'")
        #expect(Store.text(rows) == [["2"]])
    }

    @Test func `a store of another model is refused`() throws {
        let connection = try MigrationProver.makeStore(of: Self.first, seed: nil)
        let other = Model(name: "Other", version: "1", entities: [])
        #expect(throws: MigrationError.otherModel(store: "Shop", program: "Other")) {
            try MigrationRunner(model: other).open(connection)
        }
    }

    @Test func `a store of a later version is refused`() throws {
        let connection = try MigrationProver.makeStore(of: Self.third, seed: nil)
        #expect(throws: MigrationError.newerVersion(store: "3", program: "2")) {
            try MigrationRunner(
                model: Self.second, migrations: [Migration(from: Self.first, to: Self.second)]
            ).open(connection)
        }
    }

    @Test(arguments: [
        ("Model 12", "Model 9", true), ("2.10", "2.9", true), ("2.1", "2", true),
        ("v010", "v9", true), ("Model 9", "Model 12", false), ("2 beta", "2", false),
        ("Other 3", "Model 2", false),
    ])
    func `a version is later than another by the numbers in its name`(
        store: String, program: String, isLater: Bool
    ) throws {
        let connection = try MigrationProver.makeStore(
            of: Store.model(store, [Entity(name: "A")]), seed: nil)
        let runner = MigrationRunner(model: Store.model(program, [Entity(name: "B")]))
        let error = #expect(throws: MigrationError.self) { try runner.open(connection) }
        #expect(
            (error == .newerVersion(store: store, program: program)) == isLater, "\(error as Any)")
    }

    @Test func `a version that nobody knows is named with what is known`() throws {
        let connection = try MigrationProver.makeStore(of: Self.first, seed: nil)
        let error = #expect(throws: MigrationError.self) {
            try MigrationRunner(model: Self.second).open(connection)
        }
        let text = "\(try #require(error))"
        #expect(text.contains("version 1 of the model (hash \(Self.first.versionHash))"))
        #expect(text.contains("2 (\(Self.second.versionHash))"))
    }

    @Test func `a database of somebody else is no store`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE theirs (a)")
        #expect(throws: MigrationError.notAStore) {
            try MigrationRunner(model: Self.first).open(connection)
        }
    }

    @Test func `a later file format is refused`() throws {
        let connection = try MigrationProver.makeStore(of: Self.first, seed: nil)
        try connection.execute("UPDATE _metadata SET value = '2' WHERE name = 'format'")
        #expect(throws: MigrationError.newerFormat(store: "2", program: "1")) {
            try MigrationRunner(model: Self.first).open(connection)
        }
    }

    @Test func `a link that another program broke refuses the store`() throws {
        let connection = try MigrationProver.makeStore(of: Self.first, seed: nil)
        try connection.execute(
            "PRAGMA foreign_keys = OFF; INSERT INTO A_bs VALUES (1, 2); PRAGMA foreign_keys = ON")
        #expect(throws: MigrationError.self) {
            try MigrationRunner(model: Self.third, migrations: try chain).open(connection)
        }
    }
}
