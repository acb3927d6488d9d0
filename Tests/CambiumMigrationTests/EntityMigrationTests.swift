import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

@Suite struct EntityMigrationTests {
    private typealias Store = TestStore

    private func entity(
        _ name: String, _ attribute: String = "name", parent: String? = nil,
        from: String? = nil, abstract: Bool = false, relationships: [Relationship] = []
    ) -> Entity {
        Entity(
            name: name, parent: parent, isAbstract: abstract, renamedFrom: from,
            attributes: [Store.string(attribute)], relationships: relationships)
    }

    @Test func `a new entity has a table and keys`() throws {
        let rows = try Store.migrate(
            Store.model("1", [entity("A")]), Store.model("2", [entity("A"), entity("B")]),
            query: "SELECT entity, next FROM _keys ORDER BY 1")
        #expect(rows == [["A", "1"], ["B", "1"]])
    }

    @Test func `a renamed entity keeps rows and keys, and links follow`() throws {
        func link(_ to: String) -> Relationship { Relationship(name: "link", destination: to) }
        let rows = try Store.migrate(
            Store.model("1", [entity("A"), entity("C", relationships: [link("A")])]),
            Store.model(
                "2", [entity("B", from: "A"), entity("C", relationships: [link("B")])]),
            rows: """
                INSERT INTO A (_id, name) VALUES (3, 'x');
                INSERT INTO C (_id, name, link) VALUES (1, 'y', 3);
                UPDATE _keys SET next = 4 WHERE entity = 'A';
                """,
            query: """
                SELECT B.name, C.link, (SELECT next FROM _keys WHERE entity = 'B'),
                    (SELECT count(*) FROM _keys)
                FROM C JOIN B ON B._id = C.link
                """)
        #expect(rows == [["x", "3", "4", "2"]])
    }

    @Test func `two entities exchange their names`() throws {
        let rows = try Store.migrate(
            Store.model("1", [entity("A"), entity("B")]),
            Store.model("2", [entity("A", from: "B"), entity("B", from: "A")]),
            rows: """
                INSERT INTO A (_id, name) VALUES (1, 'was a');
                INSERT INTO B (_id, name) VALUES (1, 'was b');
                UPDATE _keys SET next = 7 WHERE entity = 'A';
                """,
            query: "SELECT A.name, B.name, next FROM A, B, _keys WHERE entity = 'B'")
        #expect(rows == [["was b", "was a", "7"]])
    }

    /// SQLite does not tell upper case from lower: tables, columns, indexes and join tables.
    @Test func `what is renamed in its case alone keeps its rows, keys and links`() throws {
        func version(_ number: String, _ spell: (String) -> String) -> Model {
            func from(_ name: String) -> String? { spell(name) == name ? nil : name }
            func many(_ name: String, _ to: String, _ inverse: String) -> Relationship {
                Relationship(
                    name: spell(name), destination: spell(to), inverse: spell(inverse),
                    isToMany: true, renamedFrom: from(name), isOrdered: true)
            }
            return Store.model(
                number,
                ["Item", "Thing"].map { name in
                    let isItem = name == "Item"
                    return Entity(
                        name: spell(name), renamedFrom: from(name),
                        attributes: [
                            Attribute(
                                name: spell("name"), type: .string, renamedFrom: from("name"))
                        ],
                        relationships: [
                            isItem
                                ? many("things", "Thing", "items")
                                : many("items", "Item", "things")
                        ],
                        uniqueConstraints: [UniqueConstraint(properties: [spell("name")])])
                })
        }
        let rows = try Store.migrate(
            version("1") { $0 }, version("2") { $0.uppercased() },
            rows: """
                INSERT INTO Item (_id, name) VALUES (3, 'x');
                INSERT INTO Thing (_id, name) VALUES (1, 'y'), (2, 'z');
                INSERT INTO Item_things VALUES (3, 2, 1, 1), (3, 1, 2, 1);
                UPDATE _keys SET next = 9 WHERE entity = 'Item';
                """,
            query: """
                SELECT i.NAME, t.NAME, l._source_position, next
                FROM ITEM_THINGS AS l JOIN ITEM AS i ON i._id = _source
                    JOIN THING AS t ON t._id = _destination JOIN _keys ON entity = 'ITEM'
                ORDER BY 3
                """)
        #expect(rows == [["x", "z", "1", "9"], ["x", "y", "2", "9"]])
    }

    @Test func `an entity takes the name of one that is dropped, but for its case`() throws {
        let rows = try Store.migrate(
            Store.model("1", [entity("Item")]),
            Store.model("2", [entity("ITEM", "label")], drops: [("Item", nil)]),
            rows: "INSERT INTO Item (_id, name) VALUES (1, 'x')", query: "SELECT count(*) FROM ITEM"
        )
        #expect(rows == [["0"]])
    }

    @Test func `a new entity takes the name of a renamed one`() throws {
        let rows = try Store.migrate(
            Store.model("1", [entity("A")]),
            Store.model("2", [entity("A"), entity("B", from: "A")]),
            rows: """
                INSERT INTO A (_id, name) VALUES (1, 'x');
                UPDATE _keys SET next = 2;
                """,
            query: """
                SELECT name, (SELECT count(*) FROM A),
                    (SELECT group_concat(entity || next) FROM _keys) FROM B
                """)
        #expect(rows == [["x", "0", "A1,B2"]])
    }

    @Test func `a dropped entity takes its table, its keys and the links to it along`() throws {
        let rows = try Store.migrate(
            Store.model(
                "1",
                [
                    entity("A", relationships: [Relationship(name: "b", destination: "B")]),
                    entity("B"),
                ]),
            Store.model("2", [entity("A")], drops: [("B", nil)]),
            rows: """
                INSERT INTO B (_id, name) VALUES (1, 'y');
                INSERT INTO A (_id, name, b) VALUES (1, 'x', 1);
                """,
            query: "SELECT (SELECT group_concat(entity) FROM _keys), A.* FROM A")
        #expect(rows == [["A", "1", "1", "x"]])
    }

    @Test func `an entity that is dropped and still there is a mistake, unless it is another`() {
        let old = Store.model("1", [entity("A"), entity("B")])
        let kept = Store.model("2", [entity("A", "title"), entity("B")], drops: [("A", nil)])
        let problems = ModelDifference(from: old, to: kept).problems
        #expect(problems.map(\.entity) == ["A"])
        #expect(problems.allSatisfy { $0.message.contains("remove the drop") })
        let renamed = Entity(
            name: "A", renamedFrom: "B",
            attributes: [Store.string("name", optional: true), Store.string("x", optional: true)])
        let other = Store.model("2", [renamed], drops: [("A", nil)])
        #expect(ModelDifference(from: old, to: other).problems.isEmpty)
    }

    @Test func `the first sub-entity gives each row its entity`() throws {
        let to = Relationship(name: "to", destination: "A")
        let rows = try Store.migrate(
            Store.model("1", [entity("A"), entity("C", relationships: [to])]),
            Store.model(
                "2",
                [entity("A"), entity("C", relationships: [to]), entity("A1", "a1", parent: "A")]),
            rows: """
                INSERT INTO A (_id, name) VALUES (1, 'x');
                INSERT INTO C (_id, name, "to") VALUES (1, 'c', 1), (2, 'd', NULL);
                """,
            query: """
                SELECT C._id, C.to_entity, A._entity FROM C LEFT JOIN A ON A._id = C."to"
                ORDER BY 1
                """)
        #expect(rows == [["1", "A", "A"], ["2", "nil", "nil"]])
    }

    @Test func `a further sub-entity rebuilds nothing`() throws {
        let steps = try MigrationPlan(
            from: Store.model("1", [entity("A"), entity("A1", "a1", parent: "A")]),
            to: Store.model(
                "2",
                [
                    entity("A"), entity("A1", "a1", parent: "A"),
                    Entity(
                        name: "A2", parent: "A",
                        attributes: [Store.string("a2", optional: true)]),
                ])
        ).steps
        #expect(steps.flatMap(\.sql) == [#"ALTER TABLE "A" ADD COLUMN "a2" TEXT"#])
    }

    @Test func `a renamed sub-entity is renamed in rows and in links to them`() throws {
        let to = Relationship(name: "to", destination: "A")
        let rows = try Store.migrate(
            Store.model(
                "1",
                [entity("A"), entity("A1", "a1", parent: "A"), entity("C", relationships: [to])]),
            Store.model(
                "2",
                [
                    entity("A"), entity("A2", "a1", parent: "A", from: "A1"),
                    entity("C", relationships: [to]),
                ]),
            rows: """
                INSERT INTO A (_id, _entity, name, a1) VALUES (1, 'A1', 'x', 'y');
                INSERT INTO A (_id, _entity, name) VALUES (2, 'A', 'x');
                INSERT INTO C (_id, name, "to", to_entity) VALUES (1, 'c', 1, 'A1');
                """,
            query: "SELECT A._entity, a1, to_entity FROM A LEFT JOIN C ON A._id = \"to\"")
        #expect(rows == [["A2", "y", "A2"], ["A", "nil", "nil"]])
    }

    @Test func `objects of a dropped sub-entity go, and links to them`() throws {
        let to = Relationship(name: "to", destination: "A")
        let many = Relationship(name: "many", destination: "A", isToMany: true)
        let rows = try Store.migrate(
            Store.model(
                "1",
                [
                    entity("A"), entity("A1", "a1", parent: "A"),
                    entity("A2", "a2", parent: "A"),
                    entity("C", relationships: [to, many]),
                ]),
            Store.model(
                "2",
                [
                    entity("A"), entity("A2", "a2", parent: "A"),
                    entity("C", relationships: [to, many]),
                ], drops: [("A1", nil)]),
            rows: """
                INSERT INTO A (_id, _entity, name, a1) VALUES (1, 'A1', 'x', 'y');
                INSERT INTO A (_id, _entity, name) VALUES (2, 'A', 'z');
                INSERT INTO C (_id, name, "to", to_entity)
                VALUES (1, 'c', 1, 'A1'), (2, 'd', 2, 'A');
                INSERT INTO C_many VALUES (1, 1), (1, 2);
                """,
            query: """
                SELECT C._id, "to", to_entity, (SELECT group_concat(_destination) FROM C_many),
                    (SELECT count(*) FROM A) FROM C ORDER BY 1
                """)
        #expect(rows == [["1", "nil", "nil", "2", "1"], ["2", "2", "A", "2", "1"]])
    }

    @Test func `a fill of a sub-entity touches its own rows only`() throws {
        let a1 = entity("A1", "a1", parent: "A")
        let kind = Store.string("kind", default: "k")
        let rows = try Store.migrate(
            Store.model("1", [entity("A"), a1]),
            Store.model(
                "2",
                [
                    entity("A"),
                    Entity(name: "A1", parent: "A", attributes: a1.attributes + [kind]),
                ]),
            rows: """
                INSERT INTO A (_id, _entity, name, a1) VALUES (1, 'A1', 'x', 'y');
                INSERT INTO A (_id, _entity, name) VALUES (2, 'A', 'z');
                """,
            query: "SELECT _entity, kind FROM A ORDER BY _id")
        #expect(rows == [["A1", "k"], ["A", "nil"]])
    }

    @Test func `objects of an entity that becomes abstract refuse the store`() throws {
        let sub = entity("A1", "a1", parent: "A")
        let old = Store.model("1", [entity("A"), sub])
        let new = Store.model("2", [entity("A", abstract: true), sub])
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: 1)
        #expect(throws: MigrationError.self) {
            try MigrationRunner(model: new, migrations: [migration]).open(connection)
        }
    }
}
