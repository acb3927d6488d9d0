import CambiumMigration
import CambiumModel
import CambiumSQL
import Testing

/// Fills that read what an object was before the step, and those that give each object another value.
@Suite struct FormerValueTests {
    private typealias Store = TestStore

    private func former(_ names: String...) -> ModelExpression {
        .keyPath(root: .variable("old"), names: names)
    }

    private func own(_ name: String) -> ModelExpression {
        .keyPath(root: .subject, names: [name])
    }

    private func plus(_ left: ModelExpression, _ right: ModelExpression) -> ModelExpression {
        .arithmetic(left, .add, right)
    }

    private let space = ModelExpression.literal(.string(" "))

    private let people = Store.model(
        "1",
        [Entity(name: "Person", attributes: [Store.string("first"), Store.string("last")])])

    private let rows = "INSERT INTO Person (_id, first, last) VALUES (1, 'Ada', 'Stone')"

    @Test func `a fill is made of attributes that the same step drops`() throws {
        let new = Store.model(
            "2", [Entity(name: "Person", attributes: [Store.string("name")])],
            fills: [
                .init(
                    entity: "Person", attribute: "name",
                    value: plus(plus(former("first"), space), former("last")))
            ], drops: [("Person", "first"), ("Person", "last")])
        let found = try Store.migrate(people, new, rows: rows, query: "SELECT name FROM Person")
        #expect(found == [["Ada Stone"]])
    }

    @Test func `it reads what was there, and a bare name what is going to be`() throws {
        let new = Store.model(
            "2",
            [
                Entity(
                    name: "Human", renamedFrom: "Person",
                    attributes: [
                        Attribute(name: "given", type: .string, renamedFrom: "first"),
                        Store.string("last"), Store.string("both"), Store.string("all"),
                    ])
            ],
            fills: [
                .init(
                    entity: "Human", attribute: "given",
                    value: plus(own("given"), .literal(.string("!")))),
                .init(
                    entity: "Human", attribute: "both",
                    value: plus(plus(former("first"), space), own("given"))),
                .init(
                    entity: "Human", attribute: "all",
                    value: plus(plus(own("both"), space), former("last"))),
            ])
        let found = try Store.migrate(
            people, new, rows: rows, query: "SELECT given, both, \"all\" FROM Human")
        #expect(found == [["Ada!", "Ada Ada!", "Ada Ada! Stone"]])
    }

    @Test func `a fill of the old value of the same attribute is for every object`() throws {
        let new = Store.model(
            "2",
            [
                Entity(
                    name: "Person",
                    attributes: [
                        Attribute(name: "given", type: .string, renamedFrom: "first"),
                        Store.string("last"),
                    ])
            ],
            fills: [
                .init(
                    entity: "Person", attribute: "given",
                    value: plus(former("first"), .literal(.string("?"))))
            ])
        let found = try Store.migrate(people, new, rows: rows, query: "SELECT given FROM Person")
        #expect(found == [["Ada?"]])
    }

    @Test func `each entity of a table reads its own column`() throws {
        func version(_ version: String, _ fills: [MigrationDeclaration.Fill]) -> Model {
            let isOld = version == "1"
            func entity(_ name: String) -> Entity {
                Entity(
                    name: name, parent: "Base",
                    attributes: [Store.string(isOld ? "word" : "text\(name)", optional: true)])
            }
            return Store.model(
                version,
                [Entity(name: "Base", isAbstract: true), entity("A"), entity("B")], fills: fills,
                drops: isOld ? [] : [("A", "word"), ("B", "word")])
        }
        let fills = ["A", "B"].map {
            MigrationDeclaration.Fill(
                entity: $0, attribute: "text\($0)",
                value: plus(former("word"), .literal(.string($0))))
        }
        let found = try Store.migrate(
            version("1", []), version("2", fills),
            rows: """
                INSERT INTO Base (_id, _entity, A_word, B_word)
                VALUES (1, 'A', 'x', NULL), (2, 'B', NULL, 'y'), (3, 'B', NULL, NULL)
                """,
            query: "SELECT textA, textB FROM Base ORDER BY _id")
        #expect(found == [["xA", "nil"], ["nil", "yB"], ["nil", "nil"]])
    }

    @Test func `every object gets another UUID, and others see the same`() throws {
        let id = ModelExpression.function(.uuid, [])
        let new = Store.model(
            "2",
            [
                Entity(
                    name: "Person",
                    attributes: [
                        Store.string("first"), Store.string("last"),
                        Attribute(name: "id", type: .uuid), Attribute(name: "copy", type: .uuid),
                    ], uniqueConstraints: [UniqueConstraint(properties: ["id"])])
            ],
            fills: [
                .init(entity: "Person", attribute: "id", value: id),
                .init(entity: "Person", attribute: "copy", value: own("id")),
            ])
        let migration = try Migration(from: people, to: new)
        let proof = try MigrationProver.prove(from: people, to: new, migration: migration)
        #expect(proof.scarce.isEmpty && proof.refusals == 0)
        let found = try Store.migrate(
            people, new,
            rows: "INSERT INTO Person (_id, first, last) VALUES (1, 'a', 'b'), (2, 'a', 'b')",
            query: "SELECT hex(id), id = copy FROM Person")
        #expect(Set(found.map { $0[0] }).count == 2)
        #expect(found.allSatisfy { $0[1] == "1" && Array($0[0])[12] == "4" })
    }
}
