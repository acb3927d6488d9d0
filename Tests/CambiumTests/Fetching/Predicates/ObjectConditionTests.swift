import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

struct ObjectConditionTests {
    @Test func `objects and their ids are compared`() throws {
        try withPredicateShops { shop in
            let found = try shop.context.fetch(
                Category.fetchRequest().sorted(by: ShopModel.Category.name))
            let (books, toys) = (found[0], found[2])
            let bear = try #require(
                shop.context.fetch(Product.fetchRequest().filter(Product.sku == "TO-0")).first)
            try #expect(shop.skus(Product.category == books).count == 3)
            try #expect(shop.skus(Product.category != toys.objectID).count == 4)
            try #expect(shop.skus(Product.category.in([books, toys])).count == 5)
            try #expect(shop.skus(Product.category.in([toys.objectID])) == ["TO-0", "TO-1"])
            try #expect(shop.names(Category.products.contains(bear)) == ["Toys"])
            try #expect(shop.names(Category.products.contains(bear.objectID)) == ["Toys"])
            try #expect(shop.skus(.object(bear.objectID)) == ["TO-0"])
            try #expect(shop.skus(.in([bear.objectID]) || Product.price == 40).count == 2)
            try #expect(shop.skus(.in([bear])) == ["TO-0"])
            try #expect(
                shop.names(Category.products.any(.object(bear.objectID))) == ["Toys"])
        }
    }

    @Test func `an object's own identity is compared, in the store and in memory`() throws {
        try withPredicateShops { shop in
            let products = try shop.context.fetch(
                Product.fetchRequest().sorted(by: Product.sku))
            let bear = try #require(products.first { $0.sku == "TO-0" })
            let (id, ids) = (bear.objectID, products.prefix(2).map(\.objectID))
            let others = products.map(\.sku).filter { $0 != "TO-0" }
            let expected: [(Condition<Product>, [String])] = [
                (Product.objectID == id, ["TO-0"]), (Product.objectID == bear, ["TO-0"]),
                (Product.objectID != id, others), (Product.objectID != bear, others),
                (!(Product.objectID == id), others),
                (Product.objectID.in(ids), products.prefix(2).map(\.sku)),
                (Product.objectID.in(products.suffix(2)), products.suffix(2).map(\.sku)),
                (Product.objectID.in([id]) && Product.objectID != id, []),
            ]
            for (condition, skus) in expected {
                try #expect(shop.skus(condition).sorted() == skus, "\(condition)")
                try #expect(
                    products.filter { try condition.matches($0) }.map(\.sku) == skus,
                    "in memory: \(condition)")
            }
            let toys = try #require(bear.category)
            try #expect(shop.skus(Product.category.objectID == toys.objectID).count == 2)
            try #expect(shop.names(Category.products.any(Product.objectID == id)) == ["Toys"])
        }
    }

    @Test func `the object that a relationship leads to is compared with the object itself`()
        throws
    {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let nodes = (0..<3).map { Node(in: context, label: "\($0)") }
            nodes[0].next = nodes[0]
            nodes[1].next = nodes[2]
            let conditions = [
                Node.objectID == Node.next, Node.objectID != Node.next,
                Node.objectID == Node.next.previous,
            ]
            let expected = [["0"], ["1", "2"], ["0", "1"]]
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for (condition, labels) in zip(conditions, expected) {
                    let found = try context.fetch(
                        Node.fetchRequest().filter(condition).sorted(by: Node.label))
                    #expect(found.map(\.label) == labels, "\(condition), saved: \(isSaved)")
                }
            }
        }
    }

    @Test func `an object of another container is refused, not taken for one of the same key`()
        throws
    {
        try withPredicateShops { shop in
            let other = try PersistentContainer(model: Shop.model, at: .temporary).newContext()
            let foreign = Category(in: other, name: "Books")
            let product = Product(in: other, sku: "AA-1", kind: .book, price: 1)
            try other.save()
            let conditions: [Condition<Product>] = [
                Product.category == foreign, Product.category != foreign,
                Product.category == foreign.objectID, Product.category.in([foreign]),
                Product.objectID == product, Product.objectID != product.objectID,
                Product.objectID.in([product.objectID]),
                !(Product.price < 3 && Product.category == foreign), .object(product.objectID),
            ]
            for condition in conditions { try expectForeign { try shop.skus(condition) } }
            try expectForeign { try shop.names(Category.products.contains(product)) }
            try expectForeign {
                try shop.names(Category.products.filter(.in([product])).count > 1)
            }
            try expectForeign {
                try shop.context.fetch(
                    Product.fetchRequest().filter(format: "category == %@", foreign))
            }
            try expectForeign {
                let id = foreign.objectID
                return try shop.skus(Condition(#Predicate { $0.category?.objectID == id }))
            }
        }
    }

    private func expectForeign(_ body: () throws -> some Any) throws {
        let error = try #require(throws: StoreError.self) { _ = try body() }
        #expect(error.code == .objectOfAnotherContext)
    }

    @Test func `an id that was temporary names the same object after the save`() throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        let books = Category(in: context, name: "Books")
        _ = Product(in: context, sku: "AA-1", kind: .book, price: 1, category: books)
        let id = books.objectID
        #expect(id.isTemporary)
        let request = Product.fetchRequest().filter(Product.category == id)
        #expect(try context.fetch(request).count == 1)
        #expect(try container.newContext().fetch(request).isEmpty)
        try context.save()
        #expect(try container.newContext().fetch(request).count == 1)
    }
}
