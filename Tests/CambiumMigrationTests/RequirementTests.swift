import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// What is required from now on and is given by a link, or known to be there.
@Suite struct RequirementTests {
    private typealias Store = TestStore

    private func path(_ names: String..., of root: PathRoot = .subject) -> ModelExpression {
        .keyPath(root: root, names: names)
    }

    /// Comments that know the number of their request, and requests; then the link itself.
    private func model(
        _ version: String, links: Bool = false, title: Bool = true,
        given: [MigrationDeclaration.Link] = [], required: [(String, String)] = []
    ) -> Model {
        Store.model(
            version,
            [
                Entity(
                    name: "Comment",
                    attributes: [
                        Attribute(name: "number", type: .int64, isOptional: true),
                        Store.string("title", optional: title),
                    ],
                    relationships: links
                        ? [
                            Relationship(
                                name: "request", destination: "Request", inverse: "comments",
                                isOptional: false)
                        ]
                        : []),
                Entity(
                    name: "Request",
                    attributes: [
                        Attribute(name: "number", type: .int64, isOptional: true),
                        Attribute(name: "rank", type: .int64, isOptional: true),
                    ],
                    relationships: links
                        ? [
                            Relationship(
                                name: "comments", destination: "Comment", inverse: "request",
                                isToMany: true)
                        ] : []),
            ], links: given, required: required)
    }

    private func link(sort: [MigrationDeclaration.Order] = []) -> MigrationDeclaration.Link {
        .init(
            entity: "Comment", relationship: "request",
            condition: .comparison(
                path("number"), .equal, path("number", of: .variable("source")), []),
            order: sort)
    }

    private let rows = """
        INSERT INTO Request (_id, number, rank) VALUES (1, 7, 1), (2, 8, 1), (3, 7, 9);
        INSERT INTO Comment (_id, number) VALUES (1, 8), (2, 7);
        """

    @Test func `a required link is found by what both sides know`() throws {
        let (old, new) = (model("1"), model("2", links: true, given: [link()]))
        #expect(try Migration(from: old, to: new).kind == .needsData)
        #expect(
            try Store.migrate(
                old, new, rows: rows, query: "SELECT _id, request FROM Comment ORDER BY _id")
                == [["1", "2"], ["2", "1"]])
    }

    @Test func `of several objects the first in an order is linked`() throws {
        let new = model("2", links: true, given: [link(sort: [.init("rank", isDescending: true)])])
        #expect(
            try Store.migrate(
                model("1"), new, rows: rows, query: "SELECT _id, request FROM Comment ORDER BY _id")
                == [["1", "2"], ["2", "3"]])
    }

    @Test func `a store in which one finds no object is refused, and stays`() throws {
        let (old, new) = (model("1"), model("2", links: true, given: [link()]))
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute("INSERT INTO Comment (_id, number) VALUES (1, 8)")
        let before = try Store.dump(connection)
        #expect {
            _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        } throws: { error in
            if case MigrationError.refused = error { true } else { false }
        }
        let after = try Store.dump(connection)
        #expect(after == before)
    }

    @Test func `without a word about it a required link is a problem with ways out`() throws {
        let problems = ModelDifference(from: model("1"), to: model("2", links: true)).problems
        let fixes = try #require(problems.first).fixes
        #expect(fixes.contains(.link(entity: "Comment", relationship: "request")))
        #expect(fixes.contains(.dropObjects(entity: "Comment", where: .literal(.bool(true)))))
    }

    @Test func `what every object has needs no fill, and a store without it is refused`() throws {
        let old = model("1")
        let new = model("2", title: false, required: [("Comment", "title")])
        #expect(
            try Store.migrate(
                old, new, rows: "INSERT INTO Comment (_id, title) VALUES (1, 'a')",
                query: "SELECT title FROM Comment") == [["a"]])
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute("INSERT INTO Comment (_id) VALUES (1)")
        let migration = try Migration(from: old, to: new)
        #expect {
            _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        } throws: { error in
            if case MigrationError.refused = error { true } else { false }
        }
    }

    @Test func `a requirement that nothing asks for is a mistake`() {
        let difference = ModelDifference(
            from: model("1"), to: model("2", required: [("Comment", "title")]))
        #expect(difference.problems.count == 1)
    }

    /// A one-to-one whose key is at the other end.
    @Test func `a requirement at the end without the key is checked as well`() throws {
        func pair(_ version: String, isOptional: Bool) -> Model {
            Store.model(
                version,
                [
                    Entity(
                        name: "A",
                        relationships: [
                            Relationship(
                                name: "b", destination: "B", inverse: "a", isOptional: true)
                        ]),
                    Entity(
                        name: "B",
                        relationships: [
                            Relationship(
                                name: "a", destination: "A", inverse: "b", isOptional: isOptional)
                        ]),
                ], required: isOptional ? [] : [("B", "a")])
        }
        let (old, new) = (pair("1", isOptional: true), pair("2", isOptional: false))
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute("INSERT INTO B (_id) VALUES (1)")
        #expect {
            _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        } throws: { error in
            if case MigrationError.refused = error { true } else { false }
        }
    }

    @Test func `a new attribute that every object is said to have refuses a store with objects`()
        throws
    {
        func product(_ version: String, isNew: Bool) -> Model {
            Store.model(
                version,
                [
                    Entity(
                        name: "Product",
                        attributes: [Store.string("name")] + (isNew ? [Store.string("code")] : []))
                ], required: isNew ? [("Product", "code")] : [])
        }
        let (old, new) = (product("1", isNew: false), product("2", isNew: true))
        #expect(try Store.migrate(old, new, query: "SELECT count(*) FROM Product") == [["0"]])
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute("INSERT INTO Product (_id, name) VALUES (1, 'a')")
        let error = #expect(throws: MigrationError.self) {
            try MigrationRunner(
                model: new, migrations: [Migration(from: old, to: new)]
            ).open(connection)
        }
        #expect("\(try #require(error))".contains("an object of Product has no code"))
    }
}
