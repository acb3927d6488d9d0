import CambiumModel
import CambiumSQL
import Testing

/// Where the order of a to-many is kept.
@Suite struct OrderStorageTests {
    private func relationship(
        _ name: String, _ to: String, _ inverse: String?, many: Bool = true, ordered: Bool = false,
        transient: Bool = false
    ) -> Relationship {
        Relationship(
            name: name, destination: to, inverse: inverse, isToMany: many, isOrdered: ordered,
            isTransient: transient)
    }

    private func schema(_ a: [Relationship], _ b: [Relationship]) -> Schema {
        Schema(
            of: Model(
                name: "M", version: "1",
                entities: [
                    Entity(name: "A", relationships: a), Entity(name: "B", relationships: b),
                ]))
    }

    @Test func `a one-to-many keeps places beside the key, and in its index`() throws {
        let table = try #require(
            schema(
                [relationship("bs", "B", "a", ordered: true)],
                [relationship("a", "A", "bs", many: false)]
            ).table(named: "B"))
        #expect(
            table.createStatement()
                == """
                CREATE TABLE "B" (
                    "_id" INTEGER PRIMARY KEY,
                    "_version" INTEGER NOT NULL DEFAULT 1,
                    "a" INTEGER
                    REFERENCES "A" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
                    "a_position" INTEGER
                ) STRICT
                """.replacing("\n    REFERENCES", with: "\n        REFERENCES"))
        #expect(
            table.indexes.map(\.createStatement)
                == [#"CREATE INDEX "B.key.a" ON "B" ("a", "a_position")"#])
    }

    @Test func `a many-to-many keeps places for each ordered end`() throws {
        let table = try #require(
            schema(
                [relationship("bs", "B", "as", ordered: true)],
                [relationship("as", "A", "bs", ordered: true)]
            ).table(named: "A_bs"))
        #expect(
            table.columns.map(\.name) == [
                "_source", "_destination", "_source_position", "_destination_position",
            ])
        #expect(
            table.indexes.map(\.createStatement) == [
                #"CREATE INDEX "A.key.bs" ON "A_bs" ("_destination", "_source")"#,
                #"CREATE INDEX "A.order.bs" ON "A_bs" "#
                    + #"("_source", "_source_position", "_destination")"#,
                #"CREATE INDEX "B.order.as" ON "A_bs" "#
                    + #"("_destination", "_destination_position", "_source")"#,
            ])
    }

    @Test func `only the ordered end has places`() throws {
        let table = try #require(
            schema(
                [relationship("bs", "B", "as")], [relationship("as", "A", "bs", ordered: true)]
            ).table(named: "A_bs"))
        #expect(
            table.columns.map(\.name) == ["_source", "_destination", "_destination_position"])
    }

    @Test func `a list without an inverse has places in its join table`() throws {
        let table = try #require(
            schema([relationship("bs", "B", nil, ordered: true)], []).table(named: "A_bs"))
        #expect(table.columns.map(\.name) == ["_source", "_destination", "_source_position"])
    }

    @Test func `what is unordered or transient has no places`() {
        let schema = schema(
            [
                relationship("bs", "B", "as"),
                relationship("cs", "B", nil, ordered: true, transient: true),
            ], [relationship("as", "A", "bs")])
        #expect(
            !schema.tables.flatMap(\.columns).contains { $0.name.hasSuffix("_position") })
    }
}
