import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// The migration of the order of a to-many relationship.
@Suite struct OrderMigrationTests {
    private typealias Store = TestStore

    private func model(
        _ version: String, _ a: [Relationship], _ b: [Relationship] = [],
        drops: [(String, String?)] = []
    ) -> Model {
        Store.model(
            version, [Entity(name: "A", relationships: a), Entity(name: "B", relationships: b)],
            drops: drops)
    }

    private func many(
        _ name: String, _ to: String, _ inverse: String? = nil, ordered: Bool = false,
        from: String? = nil
    ) -> Relationship {
        Relationship(
            name: name, destination: to, inverse: inverse, isToMany: true, renamedFrom: from,
            isOrdered: ordered)
    }

    private func one(
        _ name: String, _ to: String, _ inverse: String, from: String? = nil
    ) -> Relationship {
        Relationship(name: name, destination: to, inverse: inverse, renamedFrom: from)
    }

    private let objects =
        "INSERT INTO A (_id) VALUES (1), (2); INSERT INTO B (_id) VALUES (7), (8), (9);"
    /// The members of a list in a member's rows, and in a join table, in their order.
    private let members = "SELECT _id FROM B WHERE a = 1 ORDER BY a_position NULLS LAST, _id"
    private let pairs =
        """
        SELECT _destination FROM A_bs WHERE _source = 1
        ORDER BY _source_position NULLS LAST, _destination
        """

    @Test func `a one-to-many that becomes ordered is in the order of the keys`() throws {
        let rows = try Store.migrate(
            model("1", [many("bs", "B", "a")], [one("a", "A", "bs")]),
            model("2", [many("bs", "B", "a", ordered: true)], [one("a", "A", "bs")]),
            rows: objects + "UPDATE B SET a = 1", query: members)
        #expect(rows == [["7"], ["8"], ["9"]])
    }

    @Test func `a many-to-many that becomes ordered is in the order of the keys`() throws {
        let rows = try Store.migrate(
            model("1", [many("bs", "B", "as")], [many("as", "A", "bs")]),
            model("2", [many("bs", "B", "as", ordered: true)], [many("as", "A", "bs")]),
            rows: objects + "INSERT INTO A_bs VALUES (1, 9), (1, 7)", query: pairs)
        #expect(rows == [["7"], ["9"]])
    }

    @Test func `a one-to-many that is ordered no more keeps its links`() throws {
        let rows = try Store.migrate(
            model("1", [many("bs", "B", "a", ordered: true)], [one("a", "A", "bs")]),
            model("2", [many("bs", "B", "a")], [one("a", "A", "bs")]),
            rows: objects + "UPDATE B SET a = 1, a_position = 10 - _id",
            query: "SELECT * FROM B ORDER BY _id")
        #expect(rows == [["7", "1", "1"], ["8", "1", "1"], ["9", "1", "1"]])
    }

    @Test func `a many-to-many that is ordered no more keeps its links`() throws {
        let rows = try Store.migrate(
            model("1", [many("bs", "B", "as", ordered: true)], [many("as", "A", "bs")]),
            model("2", [many("bs", "B", "as")], [many("as", "A", "bs")]),
            rows: objects + "INSERT INTO A_bs VALUES (1, 9, 1), (1, 7, 2)",
            query: "SELECT * FROM A_bs")
        #expect(rows == [["1", "7"], ["1", "9"]])
    }

    @Test func `forgetting an order is lossy, keeping one is not`() throws {
        let unordered = model("1", [many("bs", "B", "a")], [one("a", "A", "bs")])
        let ordered = model("2", [many("bs", "B", "a", ordered: true)], [one("a", "A", "bs")])
        #expect(try Migration(from: unordered, to: ordered).kind == .reversible)
        #expect(try Migration(from: ordered, to: unordered).kind == .lossy)
        #expect(unordered.versionHash != ordered.versionHash)
    }

    @Test func `the step that drops the places says so`() throws {
        let migration = try Migration(
            from: model("1", [many("bs", "B", "a", ordered: true)], [one("a", "A", "bs")]),
            to: model("2", [many("bs", "B", "a")], [one("a", "A", "bs")]))
        let step = try #require(migration.steps.first { $0.kind == .lossy })
        #expect(step.summary == "Rebuild B: forget the order of A.bs")
    }

    @Test(arguments: [false, true])
    func `the order goes with the list whose links its inverse keeps, and that is a loss`(
        isManyToMany: Bool
    ) throws {
        let inverse = Relationship(
            name: "a", destination: "A", inverse: "bs", isToMany: isManyToMany)
        let alone = Relationship(name: "a", destination: "A", isToMany: isManyToMany)
        let (old, new) = (
            model("1", [many("bs", "B", "a", ordered: true)], [inverse]), model("2", [], [alone])
        )
        let migration = try Migration(from: old, to: new)
        #expect(migration.kind == .lossy)
        #expect(migration.steps.contains { $0.losesData })
        let links =
            isManyToMany
            ? "INSERT INTO A_bs VALUES (1, 9, 1), (1, 7, 2);"
            : "UPDATE B SET a = 1, a_position = 2;"
        let rows = try Store.migrate(
            old, new, rows: objects + links,
            query: isManyToMany ? "SELECT * FROM B_a" : "SELECT _id, a FROM B")
        #expect(
            rows
                == (isManyToMany
                    ? [["7", "1"], ["9", "1"]] : ["7", "8", "9"].map { [$0, "1"] }))
    }

    @Test func `a list that moves to a sub-entity and is ordered no more loses its order`() throws {
        func version(_ number: String, above: Bool) -> Model {
            let list = many("bs", "B", "a", ordered: above)
            return Store.model(
                number,
                [
                    Entity(name: "A", isAbstract: true, relationships: above ? [list] : []),
                    Entity(name: "S", parent: "A", relationships: above ? [] : [list]),
                    Entity(
                        name: "B",
                        relationships: [
                            Relationship(name: "a", destination: above ? "A" : "S", inverse: "bs")
                        ]),
                ])
        }
        let migration = try Migration(
            from: version("1", above: true), to: version("2", above: false))
        #expect(migration.kind == .lossy)
    }

    @Test func `a new list that takes the links of a moved to-one keeps their order`() throws {
        func version(_ number: String, isNew: Bool) -> Model {
            let key = Relationship(
                name: "a", destination: "A", inverse: isNew ? "list" : "bs", isOptional: true)
            return Store.model(
                number,
                [
                    Entity(
                        name: "A",
                        relationships: [
                            isNew
                                ? many("list", "S", "a", ordered: true)
                                : many("bs", "B", "a", ordered: true)
                        ]), Entity(name: "B", isAbstract: true, relationships: isNew ? [] : [key]),
                    Entity(name: "S", parent: "B", relationships: isNew ? [key] : []),
                ])
        }
        let (old, new) = (version("1", isNew: false), version("2", isNew: true))
        #expect(try Migration(from: old, to: new).kind == .reversible)
        let found = try Store.migrate(
            old, new,
            rows: """
                INSERT INTO A (_id) VALUES (1);
                INSERT INTO B (_id, _entity, a, a_position) VALUES (7, 'S', 1, 2), (8, 'S', 1, 1);
                """, query: "SELECT _id FROM B ORDER BY a_position")
        #expect(found == [["8"], ["7"]])
    }

    @Test func `renamed ends keep the order in the rows of the members`() throws {
        let rows = try Store.migrate(
            model("1", [many("bs", "B", "a", ordered: true)], [one("a", "A", "bs")]),
            model(
                "2", [many("list", "B", "owner", ordered: true, from: "bs")],
                [one("owner", "A", "list", from: "a")]),
            rows: objects + "UPDATE B SET a = 1, a_position = 10 - _id",
            query: "SELECT _id FROM B WHERE owner = 1 ORDER BY owner_position")
        #expect(rows == [["9"], ["8"], ["7"]])
    }

    @Test func `a to-many that is new beside a to-one has the order of the keys`() throws {
        let rows = try Store.migrate(
            model("1", [], [Relationship(name: "a", destination: "A")]),
            model("2", [many("bs", "B", "a", ordered: true)], [one("a", "A", "bs")]),
            rows: objects + "UPDATE B SET a = 1", query: members)
        #expect(rows == [["7"], ["8"], ["9"]])
    }

    @Test func `an ordered list keeps its order when its members may be in several`() throws {
        let rows = try Store.migrate(
            model("1", [many("bs", "B", "a", ordered: true)], [one("a", "A", "bs")]),
            model(
                "2", [many("bs", "B", "as", ordered: true)], [many("as", "A", "bs", from: "a")]),
            rows: objects + "UPDATE B SET a = 1, a_position = 10 - _id", query: pairs)
        #expect(rows == [["9"], ["8"], ["7"]])
    }

    @Test func `a list without an inverse keeps its order when it gets one`() throws {
        let rows = try Store.migrate(
            model("1", [many("bs", "B", ordered: true)]),
            model(
                "2", [many("bs", "B", "as", ordered: true)],
                [many("as", "A", "bs", ordered: true)]),
            rows: objects + "INSERT INTO A_bs VALUES (1, 7, 3), (1, 8, 1), (1, 9, 2)",
            query: pairs)
        #expect(rows == [["8"], ["9"], ["7"]])
    }

    @Test func `both orders of a many-to-many survive when its table gets another name`() throws {
        let old = model(
            "1", [many("bs", "B", "as", ordered: true)], [many("as", "A", "bs", ordered: true)])
        // The other side comes first now, and names the table.
        let new = Store.model(
            "2",
            [
                Entity(
                    name: "Z", renamedFrom: "A",
                    relationships: [many("bs", "B", "as", ordered: true)]),
                Entity(name: "B", relationships: [many("as", "Z", "bs", ordered: true)]),
            ])
        let rows = objects + "INSERT INTO A_bs VALUES (1, 7, 3, 2), (1, 8, 1, 1), (2, 7, 1, 1)"
        let ofFirst = try Store.migrate(
            old, new, rows: rows,
            query: "SELECT _source FROM B_as WHERE _destination = 1 ORDER BY _destination_position"
        )
        #expect(ofFirst == [["8"], ["7"]])
        let ofSeventh = try Store.migrate(
            old, new, rows: rows,
            query: "SELECT _destination FROM B_as WHERE _source = 7 ORDER BY _source_position")
        #expect(ofSeventh == [["2"], ["1"]])
    }

    @Test func `the prover finds an order that was lost`() throws {
        let old = model("1", [many("bs", "B", "a", ordered: true)], [one("a", "A", "bs")])
        let new = model(
            "2", [many("list", "B", "a", ordered: true, from: "bs")], [one("a", "A", "list")])
        let expectation = RowExpectation(ModelMatch(old: old, new: new))
        let connection = try MigrationProver.makeStore(of: old, seed: 1)
        let links = try #require(
            expectation.carried().first { $0.names == ["the links of A.list"] })
        try connection.execute("UPDATE B SET a_position = _id")
        let before = try connection.rows(links.newQuery)
        try connection.execute("UPDATE B SET a_position = -_id")
        #expect(try connection.rows(links.newQuery) != before)
    }
}
