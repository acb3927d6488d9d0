import CambiumModel
import CambiumSQLite
import Testing

@testable import CambiumMigration
@testable import CambiumSQL

/// What the history of a store says after a migration: of what was before, and of the migration
/// itself.
struct CarriedHistoryTests {
    private typealias Store = TestStore

    /// Migrates a store that has a history.
    ///
    /// - Parameter rows: The objects, and what the history says of them.
    /// - Returns: The changes, and the values, each as one line of text.
    private func migrate(
        _ old: Model, _ new: Model, _ rows: String
    ) throws -> (changes: [String], values: [String]) {
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        for statement in HistorySQL.createStatements
            + HistorySettings(content: .values, epoch: UUID()).writeStatements
        { try connection.execute(statement) }
        try connection.execute(rows)
        try connection.execute(
            """
            INSERT INTO _history_transactions (last, first, number, date)
            SELECT max(number), 1, 1, 0 FROM _history_changes
            """)
        let migration = try Migration(from: old, to: new)
        _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        let changes = try Store.text(
            connection.rows(
                """
                SELECT CASE kind WHEN 0 THEN 'insert' WHEN 1 THEN 'update' ELSE 'delete' END,
                    entity, key, properties FROM _history_changes WHERE entity <> ''
                ORDER BY number
                """))
        let values = try Store.text(
            connection.rows(
                """
                SELECT entity, key, "column", old, new FROM _history_values
                JOIN _history_changes ON number = change ORDER BY change, "column"
                """))
        return (
            changes.map { $0[0] + " \($0[1]) \($0[2])" + $0[3] },
            values.map { $0.joined(separator: " ") }
        )
    }

    private func note(_ changes: String...) -> String {
        "INSERT INTO _history_changes (kind, entity, key, properties) VALUES "
            + changes.joined(separator: ", ") + ";"
    }

    @Test func `objects of a dropped sub-entity follow its parent under another root`() throws {
        let root = Entity(name: "R", attributes: [Store.string("x", optional: true)])
        let preserved = Attribute(
            name: "y", type: .string, isOptional: true, isPreservedAfterDeletion: true)
        let found = try migrate(
            Store.model(
                "1",
                [root, Entity(name: "P", attributes: [preserved]), Entity(name: "C", parent: "P")]
            ),
            Store.model(
                "2", [root, Entity(name: "P", parent: "R", attributes: [preserved])],
                drops: [("C", nil)]),
            """
            INSERT INTO R (_id) VALUES (1), (2), (3);
            INSERT INTO P (_id, _entity, y) VALUES (1, 'P', 'a'), (2, 'C', 'b'), (9, 'C', NULL);
            UPDATE _keys SET next = 4 WHERE entity = 'R';
            UPDATE _keys SET next = 10 WHERE entity = 'P';
            """ + note("(0, 'R', 2, '')", "(0, 'P', 1, '')", "(0, 'C', 2, '')", "(1, 'C', 9, ' y')")
        )
        #expect(
            found.changes == [
                "insert R 2", "insert P 4", "insert P 5", "update P 12 y", "delete P 5",
                "delete P 12", "update P 4 x",
            ])
        #expect(found.values == ["P 5 y b nil"])
    }

    @Test func `objects that a migration deletes keep what tombstones preserve`() throws {
        func model(
            _ version: String, _ name: String, from: String? = nil,
            _ givenUp: [(String, ModelExpression)] = []
        ) -> Model {
            Store.model(
                version,
                [
                    Entity(
                        name: "A",
                        attributes: [
                            Attribute(
                                name: name, type: .string, renamedFrom: from,
                                isPreservedAfterDeletion: true), Store.string("other"),
                        ])
                ], givenUp: givenUp)
        }
        let isB = ModelExpression.comparison(
            .keyPath(root: .subject, names: ["code"]), .equal, .literal(.string("b")), [])
        let found = try migrate(
            model("1", "code"), model("2", "number", from: "code", [("A", isB)]),
            "INSERT INTO A (_id, code, other) VALUES (1, 'a', 'x'), (2, 'b', 'y');"
                + note("(0, 'A', 1, '')"))
        #expect(found.changes == ["insert A 1", "delete A 2"])
        #expect(found.values == ["A 2 number b nil"])
    }

    @Test func `what is computed from a filled or dropped value has changed too`() throws {
        func derived(_ name: String, _ expression: ModelExpression) -> Attribute {
            Attribute(name: name, type: .int64, derivation: expression)
        }
        func path(_ names: String...) -> ModelExpression { .keyPath(root: .subject, names: names) }
        let box = Entity(
            name: "Box",
            attributes: [
                Attribute(name: "price", type: .int32),
                Attribute(name: "weight", type: .int32),
                derived("twice", .arithmetic(path("price"), .multiply, .literal(.int(2)))),
                derived("more", .arithmetic(path("twice"), .add, .literal(.int(1)))),
                derived("heavy", .arithmetic(path("weight"), .add, .literal(.int(1)))),
                derived("total", .aggregate(.sum, path("lines", "amount"))),
            ],
            relationships: [
                Relationship(name: "lines", destination: "Line", inverse: "box", isToMany: true)
            ])
        let line = Entity(
            name: "Line", attributes: [Attribute(name: "amount", type: .int32)],
            relationships: [Relationship(name: "box", destination: "Box", inverse: "lines")])
        func changes(_ entity: String, _ attribute: String) throws -> [String] {
            try migrate(
                Store.model("1", [box, line]),
                Store.model(
                    "2", [box, line],
                    fills: [
                        .init(
                            entity: entity, attribute: attribute,
                            value: .arithmetic(path(attribute), .add, .literal(.int(1))))
                    ]),
                """
                INSERT INTO Box (_id, price, weight, total) VALUES (1, 2, 3, 4);
                INSERT INTO Line (_id, amount, box) VALUES (1, 4, 1);
                """ + note("(0, 'Box', 1, '')")
            ).changes
        }
        #expect(
            try changes("Box", "price") == ["insert Box 1", "update Box 1 price twice more"])
        #expect(
            try changes("Line", "amount") == [
                "insert Box 1", "update Box 1 total", "update Line 1 amount",
            ])
    }

    @Test func `a link changes the objects at both ends`() throws {
        func model(_ version: String, isToMany: Bool) -> Model {
            Store.model(
                version,
                [
                    Entity(
                        name: "A",
                        relationships: [
                            Relationship(
                                name: "bs", destination: "B", inverse: "as", isToMany: isToMany)
                        ]),
                    Entity(
                        name: "B",
                        relationships: [
                            Relationship(
                                name: "as", destination: "A", inverse: "bs", isToMany: true)
                        ]),
                ],
                keeps: isToMany
                    ? [] : [.init(entity: "A", relationship: "bs", order: [], reason: "a test")])
        }
        let found = try migrate(
            model("1", isToMany: true), model("2", isToMany: false),
            """
            INSERT INTO A (_id) VALUES (1);
            INSERT INTO B (_id) VALUES (1), (2);
            INSERT INTO A_bs (_source, _destination) VALUES (1, 1), (1, 2);
            """ + note("(0, 'A', 1, '')"))
        #expect(
            found.changes == ["insert A 1", "update A 1 bs", "update B 1 as", "update B 2 as"])
    }

    @Test func `a new link is in the history at both ends`() throws {
        func model(_ version: String, _ links: [MigrationDeclaration.Link] = []) -> Model {
            Store.model(
                version,
                [
                    Entity(
                        name: "A",
                        relationships: [
                            Relationship(
                                name: "b", destination: "B", inverse: "as", isOptional: true)
                        ]),
                    Entity(
                        name: "B",
                        relationships: [
                            Relationship(
                                name: "as", destination: "A", inverse: "b", isToMany: true)
                        ]),
                ], links: links)
        }
        let found = try migrate(
            model("1"),
            model(
                "2",
                [
                    .init(
                        entity: "A", relationship: "b", condition: .literal(.bool(true)), order: [])
                ]),
            "INSERT INTO A (_id) VALUES (1); INSERT INTO B (_id) VALUES (1);"
                + note("(0, 'A', 1, '')"))
        #expect(found.changes == ["insert A 1", "update A 1 b", "update B 1 as"])
    }

    @Test func `to-one values are told by the new names and keys`() throws {
        func models(_ category: String, under parent: String?) -> [Entity] {
            let isOld = category == "Category"
            return [
                Entity(name: "R", attributes: [Store.string("x", optional: true)]),
                Entity(
                    name: category, parent: parent, renamedFrom: isOld ? nil : "Category",
                    attributes: [Store.string("n", optional: true)]),
                Entity(
                    name: isOld ? "Special" : "Extra", parent: category,
                    renamedFrom: isOld ? nil : "Special"),
                Entity(
                    name: "Product",
                    relationships: [
                        Relationship(
                            name: isOld ? "category" : "group", destination: category,
                            isOptional: true, renamedFrom: isOld ? nil : "category")
                    ]),
            ]
        }
        let rows =
            """
            INSERT INTO R (_id) VALUES (1), (2);
            UPDATE _keys SET next = 3 WHERE entity = 'R';
            """ + note("(1, 'Product', 1, ' category')")
                + """
                INSERT INTO _history_values VALUES (1, 'category', 4, 5),
                    (1, 'category_entity', 'Category', 'Special');
                """
        let old = Store.model("1", models("Category", under: nil))
        let columns = try #require(
            Schema(of: old).tables.first { $0.name == "Product" }
        ).columns.map(\.name)
        #expect(columns.contains("category_entity"), "\(columns)")
        let renamed = try migrate(old, Store.model("2", models("Group", under: nil)), rows)
        #expect(
            renamed.values == ["Product 1 group 4 5", "Product 1 group_entity Group Extra"])
        let moved = try migrate(old, Store.model("2", models("Group", under: "R")), rows)
        #expect(moved.values == ["Product 1 group 6 7", "Product 1 group_entity Group Extra"])
    }
}
