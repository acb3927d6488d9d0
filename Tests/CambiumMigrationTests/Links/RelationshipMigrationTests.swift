import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

@Suite struct RelationshipMigrationTests {
    private typealias Store = TestStore

    private func model(
        _ version: String, _ a: [Relationship], _ b: [Relationship] = [],
        drops: [(String, String?)] = []
    ) -> Model {
        Store.model(
            version,
            [
                Entity(name: "A", relationships: a), Entity(name: "B", relationships: b),
            ], drops: drops)
    }

    private func link(
        _ name: String, _ to: String, _ inverse: String? = nil, many: Bool = false,
        optional: Bool = true, from: String? = nil
    ) -> Relationship {
        Relationship(
            name: name, destination: to, inverse: inverse, isToMany: many, isOptional: optional,
            renamedFrom: from)
    }

    private let objects =
        "INSERT INTO A (_id) VALUES (1), (2); INSERT INTO B (_id) VALUES (7), (8);"

    @Test func `a new to-one is a nil key`() throws {
        let rows = try Store.migrate(
            model("1", []), model("2", [link("b", "B", "as")], [link("as", "A", "b", many: true)]),
            rows: objects, query: "SELECT _id, b FROM A")
        #expect(rows == [["1", "nil"], ["2", "nil"]])
    }

    @Test func `new entities with links between them only add something`() throws {
        let old = Store.model("1", [Entity(name: "C", relationships: [])])
        let new = Store.model(
            "2",
            [
                Entity(name: "A", relationships: [link("bs", "B", "as", many: true)]),
                Entity(name: "B", relationships: [link("as", "A", "bs", many: true)]),
                Entity(name: "C", relationships: []),
            ])
        #expect(try Migration(from: old, to: new).kind == .additive)
    }

    @Test func `a renamed to-one keeps its links`() throws {
        let rows = try Store.migrate(
            model("1", [link("b", "B")]), model("2", [link("c", "B", from: "b")]),
            rows: objects + "UPDATE A SET b = 7 WHERE _id = 1",
            query: "SELECT c FROM A ORDER BY _id")
        #expect(rows == [["7"], ["nil"]])
    }

    @Test func `a to-one becomes a many-to-many and keeps its links`() throws {
        let rows = try Store.migrate(
            model("1", [link("b", "B", "as")], [link("as", "A", "b", many: true)]),
            model(
                "2", [link("bs", "B", "as", many: true, from: "b")],
                [link("as", "A", "bs", many: true)]),
            rows: objects + "UPDATE A SET b = 8",
            query: "SELECT _source, _destination FROM A_bs")
        #expect(rows == [["1", "8"], ["2", "8"]])
    }

    /// The first side by name holds the key, so a rename can move it.
    private var oneToOne: (Model, Model) {
        (
            model("1", [link("b", "B", "a")], [link("a", "A", "b")]),
            Store.model(
                "2",
                [
                    Entity(name: "Z", renamedFrom: "A", relationships: [link("b", "B", "a")]),
                    Entity(name: "B", relationships: [link("a", "Z", "b")]),
                ])
        )
    }

    @Test func `a one-to-one moves its key to the other side`() throws {
        let rows = try Store.migrate(
            oneToOne.0, oneToOne.1, rows: objects + "UPDATE A SET b = 8 WHERE _id = 1",
            query: "SELECT _id, a FROM B ORDER BY _id")
        #expect(rows == [["7", "nil"], ["8", "1"]])
    }

    @Test func `a one-to-one that another program broke does not move its key`() throws {
        let (old, new) = oneToOne
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(objects + "UPDATE A SET b = 8")
        #expect(throws: MigrationError.self) {
            try MigrationRunner(model: new, migrations: [migration]).open(connection)
        }
    }

    @Test func `a many-to-many that is renamed on its second side only stays`() throws {
        let steps = try MigrationPlan(
            from: model(
                "1", [link("bs", "B", "as", many: true)], [link("as", "A", "bs", many: true)]),
            to: model(
                "2", [link("bs", "B", "xs", many: true)],
                [link("xs", "A", "bs", many: true, from: "as")])
        ).steps
        #expect(steps.isEmpty)
    }

    @Test func `a many-to-many whose entity is renamed keeps its pairs the right way round`() throws
    {
        let old = model(
            "1", [link("bs", "B", "as", many: true)], [link("as", "A", "bs", many: true)])
        let new = Store.model(
            "2",
            [
                Entity(
                    name: "Z", renamedFrom: "A",
                    relationships: [link("bs", "B", "as", many: true)]),
                Entity(name: "B", relationships: [link("as", "Z", "bs", many: true)]),
            ])
        let rows = try Store.migrate(
            old, new, rows: objects + "INSERT INTO A_bs VALUES (1, 8), (2, 7)",
            query: "SELECT _source, _destination FROM B_as ORDER BY 1")
        #expect(rows == [["7", "2"], ["8", "1"]])
    }

    @Test func `an inverse that is added changes no table`() throws {
        let steps = try MigrationPlan(
            from: model("1", [link("b", "B")]),
            to: model("2", [link("b", "B", "as")], [link("as", "A", "b", many: true)])
        ).steps
        #expect(steps.isEmpty)
    }

    @Test func `a to-many without inverse gets one`() throws {
        let rows = try Store.migrate(
            model("1", [link("bs", "B", many: true)]),
            model(
                "2", [link("bs", "B", "as", many: true)], [link("as", "A", "bs", many: true)]),
            rows: objects + "INSERT INTO A_bs VALUES (1, 8)", query: "SELECT * FROM A_bs")
        #expect(rows == [["1", "8"]])
    }

    @Test func `dropping one side of a link that is meant to go is enough`() throws {
        let rows = try Store.migrate(
            model(
                "1", [link("bs", "B", "as", many: true)], [link("as", "A", "bs", many: true)]),
            model("2", [], drops: [("A", "bs")]),
            rows: objects + "INSERT INTO A_bs VALUES (1, 8)",
            query: "SELECT count(*) FROM sqlite_schema WHERE name = 'A_bs'")
        #expect(rows == [["0"]])
    }

    @Test func `a required to-one becomes optional`() throws {
        let rows = try Store.migrate(
            model("1", [link("b", "B", optional: false)]), model("2", [link("b", "B")]),
            rows: "INSERT INTO B (_id) VALUES (7); INSERT INTO A (_id, b) VALUES (1, 7)",
            query: "SELECT b FROM A")
        #expect(rows == [["7"]])
    }

    @Test func `links that leave the store are dropped and come back as none`() throws {
        func version(_ number: String, stored: Bool, drops: [(String, String?)] = []) -> Model {
            model(
                number,
                [
                    Relationship(
                        name: "b", destination: "B", inverse: "as", isTransient: !stored)
                ],
                [
                    Relationship(
                        name: "as", destination: "A", inverse: "b", isToMany: true,
                        isTransient: !stored)
                ], drops: drops)
        }
        let stored = version("1", stored: true)
        let dropped = version("2", stored: false, drops: [("A", "b")])
        #expect(try Migration(from: stored, to: dropped).kind == .lossy)
        #expect(throws: MigrationProblems.self) {
            try Migration(from: stored, to: version("2", stored: false))
        }
        let rows = try Store.migrate(
            version("1", stored: false), version("2", stored: true), rows: objects,
            query: "SELECT _id, b FROM A")
        #expect(rows == [["1", "nil"], ["2", "nil"]])
    }
}
