import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

@Suite struct FewerLinksTests {
    private typealias Store = TestStore
    private typealias Keep = MigrationDeclaration.Keep

    private func model(
        _ version: String, _ a: Relationship, _ b: Relationship, keeps: [Keep] = []
    ) -> Model {
        let rank = Attribute(name: "rank", type: .int64, isOptional: true)
        return Store.model(
            version,
            [
                Entity(name: "A", attributes: [rank], relationships: [a]),
                Entity(name: "B", attributes: [rank], relationships: [b]),
            ], keeps: keeps)
    }

    private func link(
        _ name: String, _ to: String, _ inverse: String, many: Bool = false, ordered: Bool = false
    ) -> Relationship {
        Relationship(
            name: name, destination: to, inverse: inverse, isToMany: many, isOrdered: ordered)
    }

    private let objects = """
        INSERT INTO A (_id, rank) VALUES (1, 10), (2, 20), (3, 30);
        INSERT INTO B (_id, rank) VALUES (7, 1), (8, 2), (9, NULL);
        """

    private func keep(
        _ entity: String, _ relationship: String, _ order: [MigrationDeclaration.Order] = []
    ) -> Keep {
        Keep(entity: entity, relationship: relationship, order: order, reason: "a test")
    }

    @Test func `a to-many becomes a to-one and keeps the first in the order`() throws {
        let old = model("1", link("bs", "B", "as", many: true), link("as", "A", "bs", many: true))
        func new(_ order: [MigrationDeclaration.Order]) -> Model {
            model(
                "2",
                Relationship(name: "bs", destination: "B", inverse: "as"),
                link("as", "A", "bs", many: true), keeps: [keep("A", "bs", order)])
        }
        let rows = objects + "INSERT INTO A_bs VALUES (1, 7), (1, 8), (1, 9), (2, 9);"
        let query = "SELECT bs FROM A ORDER BY _id"
        #expect(
            try Store.migrate(old, new([]), rows: rows, query: query) == [["7"], ["9"], ["nil"]])
        #expect(
            try Store.migrate(
                old, new([.init("rank", isDescending: true)]), rows: rows, query: query)
                == [["8"], ["9"], ["nil"]])
    }

    @Test func `a list that becomes a to-one keeps what stood first`() throws {
        let old = model(
            "1", link("bs", "B", "as", many: true, ordered: true), link("as", "A", "bs", many: true)
        )
        let new = model(
            "2", link("bs", "B", "as"), link("as", "A", "bs", many: true), keeps: [keep("A", "bs")])
        let rows = try Store.migrate(
            old, new,
            rows: objects + """
                INSERT INTO A_bs (_source, _destination, _source_position)
                VALUES (1, 7, 2), (1, 8, 1), (1, 9, NULL);
                """,
            query: "SELECT bs FROM A ORDER BY _id")
        #expect(rows == [["8"], ["nil"], ["nil"]])
    }

    @Test func `lists whose members were in several keep their order`() throws {
        let many = link("as", "A", "bs", many: true, ordered: true)
        let old = model("1", link("bs", "B", "as", many: true), many)
        let new = model("2", link("bs", "B", "as"), many, keeps: [keep("A", "bs")])
        let rows = try Store.migrate(
            old, new,
            rows: objects + """
                INSERT INTO A_bs (_source, _destination, _destination_position)
                VALUES (1, 7, 2), (1, 8, 0), (2, 7, 1), (3, 7, NULL);
                """,
            query: "SELECT _id FROM A WHERE bs = 7 ORDER BY bs_position NULLS LAST, _id")
        #expect(rows == [["2"], ["1"], ["3"]])
    }

    @Test func `a one-to-many becomes a one-to-one`() throws {
        let old = model("1", link("b", "B", "as"), link("as", "A", "b", many: true))
        let new = model(
            "2", link("b", "B", "as"), link("as", "A", "b"),
            keeps: [keep("B", "as", [.init("rank", isDescending: true)])])
        let rows = try Store.migrate(
            old, new, rows: objects + "UPDATE A SET b = 7 WHERE _id < 3;",
            query: "SELECT b FROM A ORDER BY _id")
        #expect(rows == [["nil"], ["7"], ["nil"]])
        let step = try #require(
            Migration(from: old, to: new).steps.first { $0.summary.contains("keep one") })
        #expect(step.kind == .lossy)
        #expect(step.losesData)
    }

    @Test func `a many-to-many becomes a one-to-one at both ends`() throws {
        let old = model("1", link("bs", "B", "as", many: true), link("as", "A", "bs", many: true))
        let new = model(
            "2", link("bs", "B", "as"), link("as", "A", "bs"),
            keeps: [keep("A", "bs"), keep("B", "as")])
        let rows = try Store.migrate(
            old, new,
            rows: objects + "INSERT INTO A_bs VALUES (1, 7), (1, 8), (2, 7), (3, 9);",
            query: "SELECT bs FROM A ORDER BY _id")
        #expect(rows == [["7"], ["nil"], ["9"]])
    }

    @Test(arguments: [true, false])
    func `of two ends that keep one, the first that is declared chooses first`(isA: Bool) throws {
        let old = model("1", link("bs", "B", "as", many: true), link("as", "A", "bs", many: true))
        let keeps = [keep("A", "bs"), keep("B", "as", [.init("rank", isDescending: true)])]
        let new = model(
            "2", link("bs", "B", "as"), link("as", "A", "bs"),
            keeps: isA ? keeps : keeps.reversed())
        let rows = try Store.migrate(
            old, new, rows: objects + "INSERT INTO A_bs VALUES (1, 7), (1, 8), (2, 7);",
            query: "SELECT bs FROM A ORDER BY _id")
        // Both choose 7, and 7 the greater rank; or 7 chooses that, and 8 the other.
        #expect(rows == [[isA ? "nil" : "8"], ["7"], ["nil"]])
    }

    @Test func `links that become fewer are asked about, with what to say at each end`() throws {
        let old = model("1", link("bs", "B", "as", many: true), link("as", "A", "bs", many: true))
        let new = model("2", link("bs", "B", "as"), link("as", "A", "bs"))
        let problem = try #require(ModelDifference(from: old, to: new).problems.first)
        #expect(
            problem.fixes == [
                .together([
                    .keep(entity: "A", relationship: "bs"), .keep(entity: "B", relationship: "as"),
                ]),
                .together([
                    .drop(entity: "A", property: "bs"), .drop(entity: "B", property: "as"),
                ]),
            ])
        #expect(
            problem.fixes[0].xml(from: "1")
                == #"<migration from="1"><keep entity="A" relationship="bs" reason="…"/>"#
                + #"<keep entity="B" relationship="as" reason="…"/></migration>"#)
    }

    @Test func `a keep of links that all stay, or of none, or by nothing, is a mistake`() {
        let old = model("1", link("b", "B", "as"), link("as", "A", "b", many: true))
        func problems(_ keep: Keep, many: Bool) -> Int {
            ModelDifference(
                from: old,
                to: model(
                    "2", link("b", "B", "as"), link("as", "A", "b", many: many), keeps: [keep])
            ).problems.count
        }
        #expect(problems(keep("B", "as"), many: true) == 1)
        #expect(problems(keep("B", "as"), many: false) == 0)
        #expect(problems(keep("B", "none"), many: true) == 1)
        #expect(problems(keep("B", "as", [.init("none")]), many: false) == 1)
    }

    @Test func `where no link can stay, it is not asked which ones do`() {
        func model(_ version: String, _ cover: Relationship, inverse: [Relationship]) -> Model {
            Store.model(
                version,
                [
                    Entity(name: "Album", relationships: [cover]), Entity(name: "Artwork"),
                    Entity(name: "Image", relationships: inverse),
                ])
        }
        let old = model(
            "1", Relationship(name: "cover", destination: "Artwork", isOptional: true), inverse: [])
        let new = model(
            "2",
            Relationship(name: "cover", destination: "Image", inverse: "of", isOptional: true),
            inverse: [
                Relationship(name: "of", destination: "Album", inverse: "cover", isOptional: true)
            ])
        #expect(
            ModelDifference(from: old, to: new).problems.map(\.fixes) == [
                [.drop(entity: "Album", property: "cover")]
            ])
    }
}
