import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

@Suite struct DeduplicationTests {
    private typealias Store = TestStore
    private typealias Deduplication = MigrationDeclaration.Deduplication

    @Test func `a plan names what is unique and who goes, where no table is written again`() throws
    {
        let migration = try Migration(
            from: model("1"),
            to: model(
                "2", unique: true,
                [Deduplication(entity: "Product", properties: ["sku"], reason: "imported twice")]))
        #expect(
            migration.steps.map(\.summary) == [
                "Bring the indexes up to date: make sku of Product unique; keep one of several "
                    + "objects of Product with the same sku (imported twice)"
            ])
    }

    private func model(
        _ version: String, unique: Bool = false, sub: Bool = false,
        _ deduplications: [Deduplication] = []
    ) -> Model {
        let uniques = unique ? [UniqueConstraint(properties: ["sku"])] : []
        let sku = Store.string("sku", optional: true)
        let rank = Attribute(name: "rank", type: .int64, isOptional: true)
        let link = Relationship(name: "product", destination: "Product", inverse: "orders")
        let pairs = Relationship(
            name: "tags", destination: "Tag", inverse: "products", isToMany: true)
        let products =
            sub
            ? [
                Entity(name: "Product"),
                Entity(
                    name: "Book", parent: "Product", attributes: [sku, rank],
                    relationships: [pairs], uniqueConstraints: uniques),
            ]
            : [
                Entity(
                    name: "Product", attributes: [sku, rank],
                    relationships: [
                        pairs,
                        Relationship(
                            name: "orders", destination: "Order", inverse: "product",
                            isToMany: true),
                    ], uniqueConstraints: uniques)
            ]
        return Store.model(
            version,
            products + [
                Entity(
                    name: "Tag",
                    relationships: [
                        Relationship(
                            name: "products", destination: sub ? "Book" : "Product",
                            inverse: "tags", isToMany: true)
                    ]),
                Entity(name: "Order", relationships: sub ? [] : [link]),
            ], deduplications: deduplications)
    }

    private func rule(
        _ entity: String = "Product", _ order: [MigrationDeclaration.Order] = [],
        links: Deduplication.Links = .move
    ) -> Deduplication {
        Deduplication(
            entity: entity, properties: ["sku"], order: order, links: links, reason: "a test")
    }

    private let rows = """
        INSERT INTO Product (_id, sku, rank)
        VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 1), (4, NULL, 1), (5, NULL, 1);
        INSERT INTO Tag (_id) VALUES (7), (8);
        INSERT INTO Product_tags VALUES (1, 7), (2, 7), (2, 8), (3, 8);
        INSERT INTO "Order" (_id, product) VALUES (1, 1), (2, 2), (3, 3);
        """

    private let links = """
        SELECT (SELECT group_concat(_id) FROM (SELECT _id FROM Product ORDER BY 1)),
            (SELECT group_concat(_source || '-' || _destination)
                FROM (SELECT * FROM Product_tags ORDER BY 1, 2)),
            (SELECT group_concat(coalesce(product, 'nil'))
                FROM (SELECT * FROM "Order" ORDER BY _id))
        """

    @Test func `without a word, equal objects refuse the store`() throws {
        let (old, new) = (model("1"), model("2", unique: true))
        #expect(throws: MigrationError.self) {
            try Store.migrate(old, new, rows: rows)
        }
    }

    @Test func `one of several equal objects stays, and links lead to it`() throws {
        let found = try Store.migrate(
            model("1"), model("2", unique: true, [rule()]), rows: rows, query: links)
        #expect(found == [["1,3,4,5", "1-7,1-8,3-8", "1,1,3"]])
    }

    @Test func `the first in the order stays, and links to the others may go`() throws {
        let found = try Store.migrate(
            model("1"),
            model(
                "2", unique: true,
                [rule("Product", [.init("rank", isDescending: true)], links: .drop)]),
            rows: rows, query: links)
        #expect(found == [["2,3,4,5", "2-7,2-8,3-8", "nil,2,3"]])
    }

    @Test func `only objects of the entity are compared`() throws {
        let found = try Store.migrate(
            model("1", sub: true), model("2", unique: true, sub: true, [rule("Book")]),
            rows: """
                INSERT INTO Product (_id, _entity, sku)
                VALUES (1, 'Product', NULL), (2, 'Book', 'a'), (3, 'Book', 'a');
                INSERT INTO Tag (_id) VALUES (7);
                INSERT INTO Book_tags VALUES (3, 7);
                """,
            query: """
                SELECT group_concat(_id), (SELECT _source FROM Book_tags) FROM Product
                """)
        #expect(found == [["1,2", "2"]])
    }

    @Test func `it loses data, and is for what is unique only`() throws {
        let migration = try Migration(from: model("1"), to: model("2", unique: true, [rule()]))
        #expect(migration.kind == .needsData)
        #expect(migration.losesData)
        #expect(
            ModelDifference(from: model("1"), to: model("2", unique: true, [rule()])).rowRisks
                .isEmpty)
        #expect(
            ModelDifference(from: model("1"), to: model("2", [rule()])).problems.map(\.entity)
                == ["Product"])
    }

    @Test func `objects that become equal only then are told of, and nothing changes`() throws {
        func model(_ version: String, _ deduplications: [Deduplication] = []) -> Model {
            Store.model(
                version,
                [
                    Entity(
                        name: "A", attributes: [Store.string("n")],
                        relationships: [
                            Relationship(name: "t", destination: "A", isOptional: true)
                        ],
                        uniqueConstraints: deduplications.isEmpty
                            ? [] : [UniqueConstraint(properties: ["t", "n"])])
                ], deduplications: deduplications)
        }
        let declared = Deduplication(entity: "A", properties: ["t", "n"], reason: "a test")
        let (old, new) = (model("1"), model("2", [declared]))
        let migration = try Migration(from: old, to: new)
        let leaves = "INSERT INTO A (_id, n, t) VALUES (1, 'a', 1), (2, 'a', 1), (3, 'b', 1)"
        func migrate(_ rows: String) throws -> [[String]] {
            try Store.migrate(old, new, rows: rows, query: "SELECT _id, t FROM A ORDER BY _id")
        }
        let found = try migrate(leaves)
        #expect(found == [["1", "1"], ["3", "1"]])
        let error = #expect(throws: MigrationError.self) { try migrate(leaves + ", (4, 'b', 2)") }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("become equal in t, n"), "\(text)")
        #expect(migration.losesData)
    }
}
