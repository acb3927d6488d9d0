import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// Relationships that were each other's inverse and are so no longer.
@Suite struct PartedInverseTests {
    private typealias Store = TestStore

    private func many(_ name: String, _ to: String, _ inverse: String) -> Relationship {
        Relationship(name: name, destination: to, inverse: inverse, isToMany: true)
    }

    /// Two relationships between the same entities; in the second version they exchange inverses.
    private func model(_ version: String, drops: [(String, String?)] = []) -> Model {
        let isNew = version == "2"
        let inverses = isNew ? ["y", "x"] : ["x", "y"]
        return Store.model(
            version,
            [
                Entity(
                    name: "A",
                    relationships: [many("a", "B", inverses[0]), many("b", "B", inverses[1])]),
                Entity(
                    name: "B",
                    relationships: [
                        many("x", "A", isNew ? "b" : "a"), many("y", "A", isNew ? "a" : "b"),
                    ]),
            ], drops: drops)
    }

    private let rows = """
        INSERT INTO A (_id) VALUES (1), (2); INSERT INTO B (_id) VALUES (7), (8);
        INSERT INTO A_a VALUES (1, 7); INSERT INTO A_b VALUES (2, 8);
        """

    @Test func `which end keeps the links is asked for each pair`() {
        let found = ModelDifference(from: model("1"), to: model("2")).problems
        #expect(
            Set(found.map { Set($0.fixes) }) == [
                [.drop(entity: "A", property: "a"), .drop(entity: "B", property: "x")],
                [.drop(entity: "A", property: "b"), .drop(entity: "B", property: "y")],
            ])
    }

    @Test func `links that lose one pair of ends are not there twice`() throws {
        let half = ModelDifference(
            from: model("1"), to: model("2", drops: [("A", "a"), ("B", "x")])
        ).problems
        #expect(
            half.map { Set($0.fixes) } == [
                [.drop(entity: "A", property: "b"), .drop(entity: "B", property: "y")]
            ])
        #expect(half.first?.message.contains("were inverses of each other") == true)
        let found = try Store.migrate(
            model("1"), model("2", drops: [("A", "a"), ("B", "x"), ("B", "y")]), rows: rows,
            query: "SELECT 'a', * FROM A_a UNION ALL SELECT 'b', * FROM A_b")
        #expect(found == [["b", "2", "8"]])
    }

    @Test func `a pair that becomes two pairs is asked about too`() {
        let old = Store.model(
            "1",
            [
                Entity(name: "A", relationships: [many("a", "B", "x")]),
                Entity(name: "B", relationships: [many("x", "A", "a")]),
            ])
        let problems = ModelDifference(
            from: old,
            to: Store.model(
                "2",
                [
                    Entity(
                        name: "A", relationships: [many("a", "B", "y"), many("b", "B", "x")]),
                    Entity(
                        name: "B", relationships: [many("x", "A", "b"), many("y", "A", "a")]),
                ])
        ).problems
        #expect(
            problems.map(\.fixes) == [
                [.drop(entity: "A", property: "a"), .drop(entity: "B", property: "x")]
            ])
    }

    /// Persons whose friends are their own inverse, or have another one.
    private func persons(_ version: String, isPair: Bool) -> Model {
        let friends = many("friends", "Person", isPair ? "friendOf" : "friends")
        let inverse = isPair ? [many("friendOf", "Person", "friends")] : []
        return Store.model(version, [Entity(name: "Person", relationships: [friends] + inverse)])
    }

    @Test func `what was its own inverse has the same links with one of its own`() throws {
        let found = try Store.migrate(
            persons("1", isPair: false), persons("2", isPair: true),
            rows: """
                INSERT INTO Person (_id) VALUES (1), (2), (3);
                INSERT INTO Person_friends VALUES (1, 2), (2, 1), (3, 3);
                """, query: "SELECT * FROM Person_friendOf ORDER BY 1")
        #expect(found == [["1", "2"], ["2", "1"], ["3", "3"]])
    }

    @Test func `a pair that becomes its own inverse needs a step, or goes`() {
        let problems = ModelDifference(
            from: persons("1", isPair: true), to: persons("2", isPair: false)
        ).problems
        #expect(
            problems.map(\.fixes) == [
                [
                    .convert(entity: "Person", property: "friends"),
                    .drop(entity: "Person", property: "friends"),
                ]
            ])
    }

    /// A pair that stays as it is.
    private func pair(
        _ version: String, isToMany: (a: Bool, x: Bool), drops: [(String, String?)] = []
    ) -> Model {
        func end(_ name: String, _ to: String, _ inverse: String, _ isToMany: Bool) -> Relationship
        {
            Relationship(
                name: name, destination: to, inverse: inverse, isToMany: isToMany, isOptional: true)
        }
        return Store.model(
            version,
            [
                Entity(name: "A", relationships: [end("a", "B", "x", isToMany.a)]),
                Entity(name: "B", relationships: [end("x", "A", "a", isToMany.x)]),
            ], drops: drops)
    }

    @Test(arguments: [(true, true), (true, false), (false, false)])
    func `a drop of one end of a pair that stays asks for the other`(isToMany: (Bool, Bool)) throws
    {
        let old = pair("1", isToMany: isToMany)
        for (dropped, other) in [(("A", "a"), ("B", "x")), (("B", "x"), ("A", "a"))] {
            let problems = ModelDifference(
                from: old, to: pair("2", isToMany: isToMany, drops: [dropped])
            ).problems
            #expect(problems.map(\.fixes) == [[.drop(entity: other.0, property: other.1)]])
        }
        let rows = """
            INSERT INTO A (_id) VALUES (1), (2); INSERT INTO B (_id) VALUES (7), (8);
            \(isToMany.1 ? "INSERT INTO A_a VALUES (1, 7)" : isToMany.0
                ? "UPDATE B SET x = 1 WHERE _id = 7" : "UPDATE A SET a = 7 WHERE _id = 1");
            """
        let links =
            isToMany.1
            ? "A_a" : isToMany.0 ? "B WHERE x IS NOT NULL" : "A WHERE a IS NOT NULL"
        for (drops, count) in [([], "1"), ([("A", "a"), ("B", "x")], "0")] {
            let found = try Store.migrate(
                old, pair("2", isToMany: isToMany, drops: drops), rows: rows,
                query: "SELECT count(*) FROM \(links)")
            #expect(found == [[count]])
        }
    }
}
