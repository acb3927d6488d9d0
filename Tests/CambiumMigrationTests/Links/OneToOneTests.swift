import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// An object of a one-to-one has one partner at most, and both know it, whatever a migration makes
/// of the links.
@Suite struct OneToOneTests {
    private typealias Store = TestStore
    private typealias Keep = MigrationDeclaration.Keep

    private static let rank = Attribute(name: "rank", type: .int64, isOptional: true)

    /// A model of one entity whose `f` is its own inverse.
    private func friends(
        _ version: String, many: Bool, keep order: [MigrationDeclaration.Order]? = nil,
        links: [MigrationDeclaration.Link] = []
    ) -> Model {
        let friend = Relationship(
            name: "f", destination: "A", inverse: "f", isToMany: many, isOptional: true)
        return Store.model(
            version, [Entity(name: "A", attributes: [Self.rank], relationships: [friend])],
            keeps: order.map { [Keep(entity: "A", relationship: "f", order: $0, reason: "test")] }
                ?? [], links: links)
    }

    /// A model of two entities with a one-to-one between them, whose key A has.
    private func couples(
        _ version: String, links: [MigrationDeclaration.Link] = []
    ) -> Model {
        func end(_ name: String, _ to: String, _ inverse: String) -> Relationship {
            Relationship(name: name, destination: to, inverse: inverse, isOptional: true)
        }
        return Store.model(
            version,
            [
                Entity(name: "A", attributes: [Self.rank], relationships: [end("b", "B", "a")]),
                Entity(name: "B", attributes: [Self.rank], relationships: [end("a", "A", "b")]),
            ], links: links)
    }

    private func link(
        _ entity: String, _ relationship: String, where right: ModelExpression,
        _ order: [MigrationDeclaration.Order] = []
    ) -> MigrationDeclaration.Link {
        let rank = ModelExpression.keyPath(root: .subject, names: ["rank"])
        return .init(
            entity: entity, relationship: relationship,
            condition: .comparison(rank, .equal, right, []), order: order)
    }

    private let rankOfSource = ModelExpression.keyPath(root: .variable("source"), names: ["rank"])

    @Test(arguments: [false, true])
    func `of the links of friends a matching stays`(isByRank: Bool) throws {
        // All graphs of four objects, one beside the other.
        let pairs = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
        var rows: [String] = []
        var expected: [[String]] = []
        for graph in 0..<64 {
            let edges = pairs.indices.filter { graph & (1 << $0) != 0 }.map { pairs[$0] }
            let start = 4 * graph
            rows += (1...4).map {
                "INSERT INTO A (_id, rank) VALUES (\(start + $0), \($0 * 7 % 4))"
            }
            for (one, other) in edges {
                rows += [(one, other), (other, one)].map {
                    "INSERT INTO A_f VALUES (\(start + $0.0), \(start + $0.1))"
                }
            }
            var partners: [Int: Int] = [:]
            for object in 1...4 where partners[object] == nil {
                let free = edges.compactMap { edge in
                    edge.0 == object ? edge.1 : edge.1 == object ? edge.0 : nil
                }.filter { partners[$0] == nil }
                let chosen =
                    isByRank ? free.max { $0 * 7 % 4 < $1 * 7 % 4 } : free.min()
                guard let chosen else { continue }
                (partners[object], partners[chosen]) = (chosen, object)
            }
            expected += (1...4).map { [partners[$0].map { String(start + $0) } ?? "nil"] }
        }
        let found = try Store.migrate(
            friends("1", many: true),
            friends("2", many: false, keep: isByRank ? [.init("rank", isDescending: true)] : []),
            rows: rows.joined(separator: ";"), query: "SELECT f FROM A ORDER BY _id")
        #expect(found == expected)
    }

    @Test func `each object is linked to the first that is still free`() throws {
        let rows = """
            INSERT INTO B (_id, rank) VALUES (7, 1), (8, 1), (9, 1), (10, 2);
            INSERT INTO A (_id, rank, b) VALUES
                (1, 1, NULL), (2, 1, 7), (3, 1, NULL), (4, 2, NULL), (5, 1, NULL), (6, 2, NULL);
            """
        func migrate(_ order: [MigrationDeclaration.Order]) throws -> [[String]] {
            try Store.migrate(
                couples("1"), couples("2", links: [link("A", "b", where: rankOfSource, order)]),
                rows: rows, query: "SELECT b FROM A ORDER BY _id")
        }
        let found = try migrate([])
        #expect(found == [["8"], ["7"], ["9"], ["10"], ["nil"], ["nil"]])
    }

    @Test func `who requires a link, and is left over, is named`() throws {
        func entities(_ relationships: [Relationship], _ others: [Relationship]) -> [Entity] {
            [
                Entity(name: "A", attributes: [Self.rank], relationships: relationships),
                Entity(name: "B", attributes: [Self.rank], relationships: others),
            ]
        }
        let old = Store.model("1", entities([], []))
        let new = Store.model(
            "2",
            entities(
                [Relationship(name: "b", destination: "B", inverse: "a", isOptional: false)],
                [Relationship(name: "a", destination: "A", inverse: "b", isOptional: true)]),
            links: [link("A", "b", where: rankOfSource)])
        let error = #expect(throws: MigrationError.self) {
            try Store.migrate(
                old, new,
                rows: """
                    INSERT INTO A (_id, rank) VALUES (1, 1), (2, 1);
                    INSERT INTO B (_id, rank) VALUES (7, 1), (8, 2);
                    """)
        }
        guard case .refused(let refusal)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.entity == "A")
        #expect(refusal.objects == [2])
    }

    @Test func `who is linked to a friend is one`() throws {
        let next = link("A", "f", where: .arithmetic(rankOfSource, .add, .literal(.int(1))))
        let found = try Store.migrate(
            friends("1", many: false), friends("2", many: false, links: [next]),
            rows: """
                INSERT INTO A (_id, rank, f) VALUES (1, 1, NULL), (2, 2, NULL), (3, 3, NULL),
                    (4, 4, NULL), (5, 5, NULL), (6, 6, 7), (7, 7, 6);
                """, query: "SELECT f FROM A ORDER BY _id")
        #expect(found == [["2"], ["1"], ["4"], ["3"], ["nil"], ["7"], ["6"]])
    }

    @Test func `what was its own inverse keeps its links as a pair, and nothing is asked`() throws {
        func person(_ relationships: [Relationship]) -> [Entity] {
            [Entity(name: "A", relationships: relationships)]
        }
        let s = Relationship(name: "s", destination: "A", inverse: "s", isOptional: false)
        let pair = [("s", "t"), ("t", "s")].map {
            Relationship(name: $0, destination: "A", inverse: $1, isOptional: false)
        }
        let (old, new) = (Store.model("1", person([s])), Store.model("2", person(pair)))
        #expect(ModelDifference(from: old, to: new).problems.isEmpty)
        let found = try Store.migrate(
            old, new, rows: "INSERT INTO A (_id, s) VALUES (1, 2), (2, 1), (3, 3)",
            query: "SELECT s FROM A ORDER BY _id")
        #expect(found == [["2"], ["1"], ["3"]])
        // Who had none has none at the other end either.
        let friend = Relationship(name: "s", destination: "A", inverse: "s", isOptional: true)
        let asked = ModelDifference(from: Store.model("1", person([friend])), to: new).problems
        #expect(asked.contains { $0.property == "t" })
    }

    @Test func `what is its own inverse is dropped, or kept, once`() throws {
        let many = Relationship(name: "f", destination: "A", inverse: "f", isToMany: true)
        let pair = [("f", "g"), ("g", "f")].map {
            Relationship(name: $0, destination: "A", inverse: $1, isOptional: true)
        }
        let old = Store.model("1", [Entity(name: "A", relationships: [many])])
        let drop = ModelDifference(
            from: old, to: Store.model("2", [Entity(name: "A", relationships: pair)])
        ).problems.flatMap(\.fixes)
        #expect(drop.contains(.drop(entity: "A", property: "f")))
        let one = try #require(
            ModelDifference(from: friends("1", many: true), to: friends("2", many: false))
                .problems.first)
        #expect(
            one.fixes == [
                .keep(entity: "A", relationship: "f"), .drop(entity: "A", property: "f"),
            ])
    }

    @Test func `a link that one of the two knows nothing of fails the proof`() throws {
        func failure(_ old: Model, _ new: Model, _ damage: String) throws -> String {
            let good = try Migration(from: old, to: new)
            let bad = MigrationStep(
                summary: "damage", kind: .needsData, statements: [.init(.other, damage)])
            let error = #expect(throws: MigrationProver.Failure.self) {
                try MigrationProver.prove(
                    from: old, to: new,
                    migration: Migration(
                        from: "1", to: "2", fromHash: good.fromHash, toHash: good.toHash,
                        steps: good.steps + [bad]))
            }
            return error?.description ?? ""
        }
        let half = try failure(
            friends("1", many: true), friends("2", many: false, keep: []),
            "UPDATE A SET f = NULL WHERE _id = (SELECT min(_id) FROM A WHERE f <> _id)")
        #expect(half.contains("one-to-one A.f"), "\(half)")
        let twice = try failure(
            couples("1"), couples("2", links: [link("A", "b", where: rankOfSource)]),
            "UPDATE A SET b = (SELECT max(b) FROM A)")
        #expect(twice.contains("one-to-one A.b"), "\(twice)")
    }
}
