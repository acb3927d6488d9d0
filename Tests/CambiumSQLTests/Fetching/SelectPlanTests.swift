import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// What statements SQLite is given for conditions over related objects, and how it runs them.
struct SelectPlanTests {
    private static let model = Model(
        name: "Plans", version: "1",
        entities: [
            Entity(
                name: "Product",
                attributes: [
                    Attribute(name: "title", type: .string),
                    Attribute(name: "price", type: .int64, isOptional: true),
                ],
                relationships: [
                    Relationship(name: "category", destination: "Category", inverse: "products")
                ]),
            Entity(
                name: "Category",
                attributes: [Attribute(name: "name", type: .string)],
                relationships: [
                    Relationship(
                        name: "products", destination: "Product", inverse: "category",
                        isToMany: true),
                    Relationship(name: "shop", destination: "Shop", inverse: "categories"),
                ], indexes: [Index(name: "byName", elements: [IndexElement(property: "name")])]),
            Entity(
                name: "Shop", attributes: [Attribute(name: "town", type: .string)],
                relationships: [
                    Relationship(
                        name: "categories", destination: "Category", inverse: "shop",
                        isToMany: true)
                ]),
        ])

    private func rows(
        _ text: String, of entity: String = "Product", sort: [[String]] = []
    ) throws -> (sql: String, plan: String, parameters: [StoredValue]) {
        let entity = try #require(Self.model.entity(named: entity))
        let condition = try ExpressionCompiler.condition(
            text, entity: entity, model: Self.model
        ).get()
        let (sql, parameters) = try SelectSQL(entity, in: Self.model).rows(
            .matching(condition, [:]), sort: sort.map { SortTerm(path: $0) })
        let connection = try Connection(path: ":memory:")
        for statement in Schema(of: Self.model).statements { try connection.execute(statement) }
        let plan = try connection.rows("EXPLAIN QUERY PLAN \(sql)", parameters).map { row in
            if case .text(let detail) = row[3] { detail } else { "" }
        }
        return (sql, plan.joined(separator: "\n"), parameters)
    }

    @Test func `a table is joined once for the condition and the order`() throws {
        let found = try rows(
            "category.name == 'Books' AND price < 20 AND category.shop.town != 'Ulm'",
            sort: [["category", "name"], ["category", "shop", "town"]])
        #expect(found.sql.components(separatedBy: "LEFT JOIN").count == 3)
        #expect(!found.sql.contains("(SELECT"))
    }

    @Test func `an index of the far attribute is used`() throws {
        let found = try rows("category.name == 'Books'")
        #expect(found.plan.contains("INDEX Category.index.byName"), "\(found.plan)")
        #expect(found.plan.contains("INDEX Product.key.category"), "\(found.plan)")
        #expect(!found.plan.contains("SCAN"), "\(found.plan)")
    }

    @Test(arguments: [
        ("products.@count > 0", "EXISTS (SELECT 1 FROM \"Product\""),
        ("products.@count == 0", "NOT (EXISTS (SELECT 1 FROM \"Product\""),
        ("0 < products.@count", "EXISTS (SELECT 1 FROM \"Product\""),
        ("SUBQUERY(products, $p, $p.price > 3).@count >= 1", "EXISTS (SELECT 1 FROM \"Product\""),
        ("products.price.@count != 0", "\"price\" IS NOT NULL"),
        ("products.@count > 1", "SELECT count(*)"),
    ])
    func `whether there are any is not counted`(_ text: String, _ part: String) throws {
        #expect(try rows(text, of: "Category").sql.contains(part))
    }

    @Test func `a long list is one parameter`() throws {
        let numbers = (0..<5000).map(String.init).joined(separator: ", ")
        let found = try rows("price IN {\(numbers)}")
        #expect(found.parameters.count == 1)
        #expect(found.sql.utf8.count < 300)
        let words = (0..<600).map { #"'a"\\\#($0)'"# }.joined(separator: ", ")
        let texts = try rows("title IN {\(words)}")
        #expect(texts.parameters.count == 1)
    }
}
