import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

@Suite struct HierarchyMigrationTests {
    private typealias Store = TestStore

    private func entity(
        _ name: String, _ attributes: [String] = [], parent: String? = nil, from: String? = nil,
        abstract: Bool = false, relationships: [Relationship] = []
    ) -> Entity {
        Entity(
            name: name, parent: parent, isAbstract: abstract, renamedFrom: from,
            attributes: attributes.map { Store.string($0, optional: true) },
            relationships: relationships)
    }

    private func link(
        _ name: String, _ to: String, _ inverse: String? = nil, many: Bool = false
    ) -> Relationship {
        Relationship(name: name, destination: to, inverse: inverse, isToMany: many)
    }

    // MARK: Attributes

    @Test func `an attribute moves up from two siblings`() throws {
        let rows = try Store.migrate(
            Store.model(
                "1",
                [
                    entity("A", abstract: true), entity("B", ["x"], parent: "A"),
                    entity("C", ["x"], parent: "A"), entity("D", parent: "A"),
                ]),
            Store.model(
                "2",
                [
                    entity("A", ["x"], abstract: true), entity("B", parent: "A"),
                    entity("C", parent: "A"), entity("D", parent: "A"),
                ]),
            rows: """
                INSERT INTO A (_id, _entity, B_x, C_x)
                VALUES (1, 'B', 'b', NULL), (2, 'C', NULL, 'c'), (3, 'D', NULL, NULL);
                """,
            query: "SELECT _entity, x FROM A ORDER BY _id")
        #expect(rows == [["B", "b"], ["C", "c"], ["D", "nil"]])
    }

    @Test func `what comes up where others had nothing gives them the default`() throws {
        let x = Store.string("x", default: "new")
        let rows = try Store.migrate(
            Store.model(
                "1",
                [
                    entity("A", abstract: true),
                    Entity(name: "B", parent: "A", attributes: [x]), entity("C", parent: "A"),
                ]),
            Store.model(
                "2",
                [
                    Entity(name: "A", isAbstract: true, attributes: [x]),
                    entity("B", parent: "A"), entity("C", parent: "A"),
                ]),
            rows: """
                INSERT INTO A (_id, _entity, x) VALUES (1, 'B', 'old'), (2, 'C', NULL);
                """,
            query: "SELECT _entity, x FROM A ORDER BY _id")
        #expect(rows == [["B", "old"], ["C", "new"]])
    }

    @Test func `what comes up and is required asks for a value for the others`() {
        let x = Store.string("x")
        let problems = ModelDifference(
            from: Store.model(
                "1",
                [
                    entity("A", abstract: true),
                    Entity(name: "B", parent: "A", attributes: [x]), entity("C", parent: "A"),
                ]),
            to: Store.model(
                "2",
                [
                    Entity(name: "A", isAbstract: true, attributes: [x]),
                    entity("B", parent: "A"), entity("C", parent: "A"),
                ])
        ).problems
        #expect(problems.map(\.property) == ["x"])
        #expect(problems.first?.message.contains("objects that had none") == true)
    }

    @Test func `an attribute moves down to two sub-entities under other names`() throws {
        let rows = try Store.migrate(
            Store.model(
                "1",
                [
                    entity("A", ["x"], abstract: true), entity("B", parent: "A"),
                    entity("C", parent: "A"),
                ]),
            Store.model(
                "2",
                [
                    entity("A", abstract: true),
                    Entity(
                        name: "B", parent: "A",
                        attributes: [Store.string("y", optional: true, from: "x")]),
                    entity("C", ["x"], parent: "A"),
                ]),
            rows: "INSERT INTO A (_id, _entity, x) VALUES (1, 'B', 'b'), (2, 'C', 'c');",
            query: "SELECT _entity, x, y FROM A ORDER BY _id")
        #expect(rows == [["B", "nil", "b"], ["C", "c", "nil"]])
    }

    private var down: (old: [Entity], new: [Entity]) {
        (
            [entity("A", ["x"]), entity("B", parent: "A"), entity("C", parent: "A")],
            [entity("A"), entity("B", ["x"], parent: "A"), entity("C", parent: "A")]
        )
    }

    @Test func `objects that lose what moves down are asked about, the topmost entity alone`() {
        func fixes(_ old: [Entity], _ new: [Entity]) -> [MigrationFix] {
            ModelDifference(from: Store.model("1", old), to: Store.model("2", new)).problems
                .flatMap(\.fixes)
        }
        #expect(fixes(down.old, down.new) == [.drop(entity: "A", property: "x")])
        let abstract = [
            entity("A", ["x"], abstract: true), entity("B", parent: "A"), entity("C", parent: "A"),
        ]
        #expect(fixes(abstract, down.new) == [.drop(entity: "C", property: "x")])
    }

    @Test func `a drop of what moves down leaves it to those that declare it`() throws {
        let rows = try Store.migrate(
            Store.model("1", down.old), Store.model("2", down.new, drops: [("A", "x")]),
            rows: """
                INSERT INTO A (_id, _entity, x) VALUES (1, 'A', 'a'), (2, 'B', 'b'), (3, 'C', 'c');
                """,
            query: "SELECT _entity, x FROM A ORDER BY _id")
        #expect(rows == [["A", "nil"], ["B", "b"], ["C", "nil"]])
    }

    @Test func `a drop of what an entity inherits is about its objects alone`() throws {
        let rows = try Store.migrate(
            Store.model("1", down.old),
            Store.model("2", down.old, drops: [("C", "x")]),
            rows: "INSERT INTO A (_id, _entity, x) VALUES (1, 'A', 'a'), (3, 'C', 'c');",
            query: "SELECT _entity, x FROM A ORDER BY _id")
        #expect(rows == [["A", "a"], ["C", "nil"]])
    }

    @Test func `a type that changes on the way is converted, and refused where it does not fit`()
        throws
    {
        func models(_ type: AttributeType) -> (Model, Model) {
            let x = Attribute(name: "x", type: .int64, isOptional: true)
            return (
                Store.model(
                    "1",
                    [
                        entity("A", abstract: true),
                        Entity(name: "B", parent: "A", attributes: [x]),
                    ]),
                Store.model(
                    "2",
                    [
                        Entity(
                            name: "A", isAbstract: true,
                            attributes: [Attribute(name: "x", type: type, isOptional: true)]),
                        entity("B", parent: "A"),
                    ])
            )
        }
        let rows = "INSERT INTO A (_id, _entity, x) VALUES (1, 'B', 70000);"
        let (old, new) = models(.string)
        #expect(try Store.migrate(old, new, rows: rows, query: "SELECT x FROM A") == [["70000"]])
        let (wide, narrow) = models(.int16)
        #expect(throws: MigrationError.self) {
            try Store.migrate(wide, narrow, rows: rows)
        }
    }

    // MARK: Relationships

    @Test func `a to-one moves up from two siblings, and its inverse follows`() throws {
        let rows = try Store.migrate(
            Store.model(
                "1",
                [
                    entity("A", abstract: true),
                    entity("B", parent: "A", relationships: [link("to", "F", "bs")]),
                    entity("C", parent: "A", relationships: [link("to", "F", "cs")]),
                    entity(
                        "F",
                        relationships: [
                            link("bs", "B", "to", many: true), link("cs", "C", "to", many: true),
                        ]),
                ]),
            Store.model(
                "2",
                [
                    entity("A", abstract: true, relationships: [link("to", "F", "all")]),
                    entity("B", parent: "A"), entity("C", parent: "A"),
                    entity("F", relationships: [link("all", "A", "to", many: true)]),
                ]),
            rows: """
                INSERT INTO F (_id) VALUES (7), (8);
                INSERT INTO A (_id, _entity, B_to, C_to) VALUES (1, 'B', 7, NULL), (2, 'C', NULL, 8);
                """,
            query: "SELECT _entity, \"to\" FROM A ORDER BY _id")
        #expect(rows == [["B", "7"], ["C", "8"]])
    }

    @Test func `pairs move up from two siblings`() throws {
        let rows = try Store.migrate(
            Store.model(
                "1",
                [
                    entity("A", abstract: true),
                    entity("B", parent: "A", relationships: [link("fs", "F", many: true)]),
                    entity("C", parent: "A", relationships: [link("fs", "F", many: true)]),
                    entity("F"),
                ]),
            Store.model(
                "2",
                [
                    entity("A", abstract: true, relationships: [link("fs", "F", many: true)]),
                    entity("B", parent: "A"), entity("C", parent: "A"), entity("F"),
                ]),
            rows: """
                INSERT INTO F (_id) VALUES (7);
                INSERT INTO A (_id, _entity) VALUES (1, 'B'), (2, 'C');
                INSERT INTO B_fs VALUES (1, 7);
                INSERT INTO C_fs VALUES (2, 7);
                """,
            query: "SELECT _source, _destination FROM A_fs ORDER BY 1")
        #expect(rows == [["1", "7"], ["2", "7"]])
    }

    @Test func `two to-ones that become one list of another object need no more room`() {
        // An object had one of each kind, and may have only one of all now.
        func back(_ name: String, _ to: String) -> Relationship { link(name, to, "to") }
        let problems = ModelDifference(
            from: Store.model(
                "1",
                [
                    entity("A", abstract: true),
                    entity("B", parent: "A", relationships: [link("to", "F", "b")]),
                    entity("C", parent: "A", relationships: [link("to", "F", "c")]),
                    entity("F", relationships: [back("b", "B"), back("c", "C")]),
                ]),
            to: Store.model(
                "2",
                [
                    entity("A", abstract: true, relationships: [link("to", "F", "a")]),
                    entity("B", parent: "A"), entity("C", parent: "A"),
                    entity("F", relationships: [back("a", "A")]),
                ])
        ).problems
        #expect(problems.flatMap(\.fixes).contains(.keep(entity: "F", relationship: "a")))
    }

    // MARK: Parents

    @Test func `a parent changes within a hierarchy`() throws {
        let rows = try Store.migrate(
            Store.model(
                "1",
                [
                    entity("R", ["r"]), entity("A", ["x"], parent: "R"), entity("B", parent: "R"),
                    entity("S", ["s"], parent: "A"),
                ]),
            Store.model(
                "2",
                [
                    entity("R", ["r"]), entity("A", ["x"], parent: "R"), entity("B", parent: "R"),
                    entity("S", ["s"], parent: "B"),
                ], drops: [("S", "x")]),
            rows: """
                INSERT INTO R (_id, _entity, r, x, s) VALUES (1, 'S', 'r', 'x', 's');
                INSERT INTO R (_id, _entity, r, x) VALUES (2, 'A', 'r', 'x');
                """,
            query: "SELECT _entity, r, x, s FROM R ORDER BY _id")
        #expect(rows == [["S", "r", "nil", "s"], ["A", "r", "x", "nil"]])
    }

    @Test func `a parent comes above a root and takes an attribute along`() throws {
        let to = link("to", "A")
        let rows = try Store.migrate(
            Store.model("1", [entity("A", ["x"]), entity("C", relationships: [to])]),
            Store.model(
                "2",
                [
                    entity("P", ["x"]), entity("A", parent: "P"),
                    entity("C", relationships: [to]),
                ]),
            rows: """
                INSERT INTO A (_id, x) VALUES (3, 'x');
                INSERT INTO C (_id, "to") VALUES (1, 3);
                UPDATE _keys SET next = 4 WHERE entity = 'A';
                """,
            query: """
                SELECT _entity, x, "to", (SELECT next FROM _keys WHERE entity = 'P'),
                    (SELECT count(*) FROM _keys) FROM C JOIN P ON P._id = "to"
                """)
        #expect(rows == [["A", "x", "3", "4", "2"]])
    }

    @Test func `a parent goes and its sub-entities get what they had from it`() throws {
        let old = Store.model(
            "1",
            [
                entity("P", ["x"], abstract: true), entity("A", parent: "P"),
                entity("B", ["b"], parent: "P"),
                entity("C", relationships: [link("to", "B"), link("many", "A", many: true)]),
            ])
        let new = Store.model(
            "2",
            [
                entity("A", ["x"]), entity("B", ["b", "x"]),
                entity("C", relationships: [link("to", "B"), link("many", "A", many: true)]),
            ], drops: [("P", nil)])
        let rows = try Store.migrate(
            old, new,
            rows: """
                INSERT INTO P (_id, _entity, x, b) VALUES (1, 'A', 'a', NULL), (2, 'B', 'b', 'b2');
                INSERT INTO C (_id, "to") VALUES (1, 2);
                INSERT INTO C_many VALUES (1, 1);
                UPDATE _keys SET next = 3 WHERE entity = 'P';
                """,
            query: """
                SELECT A._id, A.x, B._id, B.x, B.b, "to", (SELECT _destination FROM C_many),
                    (SELECT group_concat(entity || next) FROM (SELECT * FROM _keys ORDER BY 1))
                FROM A, B, C
                """)
        #expect(rows == [["1", "a", "2", "b", "b2", "2", "1", "A3,B3,C1"]])
    }

    @Test func `what sub-entities had from a parent that goes is asked about`() {
        let old = Store.model(
            "1", [entity("P", ["x"], abstract: true), entity("A", parent: "P")])
        let new = Store.model("2", [entity("A")], drops: [("P", nil)])
        #expect(
            ModelDifference(from: old, to: new).problems.flatMap(\.fixes) == [
                .drop(entity: "A", property: "x")
            ])
    }

    /// Two roots come together, with links of every kind to the objects that get other keys.
    private var merge: (old: Model, new: Model) {
        let c = entity(
            "C",
            relationships: [
                link("one", "B", "cs"), link("many", "B", many: true), link("a", "A"),
            ])
        let b = [link("cs", "C", "one", many: true), link("next", "B")]
        return (
            Store.model(
                "1", [entity("A", ["x"]), entity("B", ["x"], parent: nil, relationships: b), c]),
            Store.model(
                "2",
                [
                    entity("P", ["x"]), entity("A", parent: "P"),
                    entity("B", parent: "P", relationships: b), c,
                ])
        )
    }

    private let mergedRows = """
        INSERT INTO A (_id, x) VALUES (1, 'a1'), (2, 'a2');
        INSERT INTO B (_id, x, next) VALUES (1, 'b1', NULL), (2, 'b2', 1);
        INSERT INTO C (_id, one, a) VALUES (1, 2, 2);
        INSERT INTO C_many VALUES (1, 1), (1, 2);
        UPDATE _keys SET next = 6 WHERE entity = 'A';
        UPDATE _keys SET next = 3 WHERE entity = 'B';
        """

    @Test func `two roots get one parent: those of the second get keys after all of the first`()
        throws
    {
        let (old, new) = merge
        #expect(
            try Store.migrate(
                old, new, rows: mergedRows,
                query: "SELECT _id, _entity, x, next FROM P ORDER BY 1") == [
                    ["1", "A", "a1", "nil"], ["2", "A", "a2", "nil"], ["6", "B", "b1", "nil"],
                    ["7", "B", "b2", "6"],
                ])
        #expect(
            try Store.migrate(
                old, new, rows: mergedRows,
                query: """
                    SELECT one, a, (SELECT group_concat(_destination) FROM C_many),
                        (SELECT next FROM _keys WHERE entity = 'P') FROM C
                    """) == [["7", "2", "6,7", "8"]])
    }

    @Test func `a sub-entity moves to another root, with links to what it leaves and to itself`()
        throws
    {
        let to = link("to", "S")
        let rows = try Store.migrate(
            Store.model(
                "1",
                [
                    entity("A", ["x"]), entity("S", ["s"], parent: "A"), entity("B", ["y"]),
                    entity("C", relationships: [to]),
                ]),
            Store.model(
                "2",
                [
                    entity("A", ["x"]), entity("B", ["y"]),
                    entity("S", ["s", "x"], parent: "B"), entity("C", relationships: [to]),
                ]),
            rows: """
                INSERT INTO A (_id, _entity, x, s) VALUES (1, 'A', 'x1', NULL), (2, 'S', 'x2', 's');
                INSERT INTO B (_id, y) VALUES (1, 'y');
                INSERT INTO C (_id, "to") VALUES (1, 2);
                UPDATE _keys SET next = 3 WHERE entity = 'A';
                UPDATE _keys SET next = 2 WHERE entity = 'B';
                """,
            query: """
                SELECT B._id, _entity, y, s, x, "to", (SELECT group_concat(x) FROM A),
                    (SELECT group_concat(entity || next) FROM (SELECT * FROM _keys ORDER BY 1))
                FROM B LEFT JOIN C ON B._id = "to" ORDER BY 1
                """)
        #expect(
            rows == [
                ["1", "B", "y", "nil", "nil", "nil", "x1", "A3,B4,C1"],
                ["3", "S", "nil", "s", "x2", "3", "x1", "A3,B4,C1"],
            ])
    }
}
