import Cambium
import ShopModel
import Testing

/// The last reference to a context may be let go of on any thread, while the main actor uses what
/// is left of its objects. (The thread sanitizer sees more of it than the expectations do.)
@MainActor
@Suite struct ContextLifetimeTests {
    private func makeProduct(in container: PersistentContainer) throws -> Product {
        let context = container.viewContext
        let books = Category(in: context, name: "Books")
        let product = Product(in: context, sku: "AB-1", kind: .book, price: 5, category: books)
        try context.save()
        return product
    }

    @Test func `an object whose context is gone keeps its values and has no neighbours`() throws {
        let product = try makeProduct(in: PersistentContainer(model: Shop.model, at: .temporary))
        #expect(product.managedObjectContext == nil)
        #expect(product.sku == "AB-1")
        #expect(product.category == nil)
        product.price = 6
        product.category = nil
    }

    @Test func `members that were read are none when the context is gone`() throws {
        func readCategory() throws -> (Category?, Product) {
            let container = try PersistentContainer(model: Shop.model, at: .temporary)
            let product = try makeProduct(in: container)
            #expect(product.category?.products.count == 1)
            return (product.category, product)
        }
        let (known, product) = try readCategory()
        let category = try #require(known)
        #expect(category.managedObjectContext == nil)
        #expect(category.products.count == 0)
        #expect(category.products.isEmpty)
        #expect(!category.products.contains(product))
        // A sequence that promises more than it has traps here.
        #expect(category.products.map(\.sku) == [])
        #expect(Array(category.products) == [])
    }

    @Test func `a task may let go of the container while its objects are in use`() async throws {
        for _ in 0..<(StoreKind.isSQLite ? 200 : 20) {
            let (product, task) = try releaseElsewhere()
            var found = 0
            for _ in 0..<100 where product.category?.name == "Books" { found += 1 }
            #expect((0...100).contains(found))
            await task.value
            #expect(product.managedObjectContext == nil)
        }
    }

    @Test func `who uses objects of a context that is gone is told once, with its place`() throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        _ = try makeProduct(in: container)
        let line = #line + 1
        let log = try StandardErrorCapture.text {
            let products = try container.newContext().fetch(Product.fetchRequest())
            // What was read is there, and nothing is wrong yet.
            #expect(products[0].sku == "AB-1")
            products[0].price = 7
            #expect(products[0].category == nil)
            products[0].category = nil
            try #expect(container.newContext().fetch(Category.fetchRequest())[0].products.isEmpty)
            for _ in 0..<2 {
                try container.newContext().fetch(Product.fetchRequest())[0].category = nil
            }
        }
        let place = "ContextLifetimeTests.swift:"
        let lines = log.split(separator: "\n").filter { $0.contains(place) }
        #expect(lines.count == 3)
        #expect(lines.first?.contains("\(place)\(line + 1) ") == true)
        #expect(lines.first?.contains("was released while its objects are in use") == true)
    }

    @Test func `objects of a context that is kept are no reason to warn`() throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        _ = try makeProduct(in: container)
        let log = try StandardErrorCapture.text {
            let context = container.newContext()
            let product = try context.fetch(Product.fetchRequest())[0]
            product.price = 8
            #expect(product.category?.products.count == 1)
            try context.save()
            withExtendedLifetime(context) {}
            // Reading what was read is no mistake.
            let other = try container.newContext().fetch(Product.fetchRequest())[0]
            #expect(other.price == 8)
        }
        #expect(!log.contains("ContextLifetimeTests.swift:"))
    }

    private func releaseElsewhere() throws -> (Product, Task<Void, Never>) {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        let product = try makeProduct(in: container)
        return (product, Task.detached { withExtendedLifetime(container) {} })
    }
}
