import Foundation
import Observation
import ShopData
import Testing

/// What the examples of the pages say in their comments, done with the model of the pages.
/// Scripts/test-tutorial.sh runs it, with the tests that the page on testing prints.
@MainActor @Suite struct ExamplesTests {
    private let container: PersistentContainer
    private var context: ManagedObjectContext { container.viewContext }
    private let product: Product

    init() throws {
        container = try PersistentContainer(model: Shop.model, at: .memory)
        let context = container.viewContext
        product = Product(in: context, sku: "BK-1", title: "On Trees", price: 20)
        try context.save()
    }

    @Test func objectsAndContexts() throws {
        #expect("\(product)" == "Product/1 (clean)")
        #expect(product.descriptionWithValues.hasPrefix("Product/1 (clean): sku = \"BK-1\", "))
        product.price = 10
        context.delete(product)
        #expect(context.hasChanges)
        context.rollback()
        #expect(!context.hasChanges && product.price == 20)
        #expect(try context.fetchFirst(Product.fetchRequest()) === product)
    }

    @Test func saving() throws {
        product.salePrice = product.price + 1
        let rule = try #require(throws: ValidationError.self) { try context.save() }
        #expect(rule.rule == "saleBelowPrice" && rule.message == "A sale price is below the price")
        #expect(context.validationErrors(of: product).count == 1)
        context.refresh(product, mergeChanges: false)
        #expect(!context.hasChanges)
        var sku = "book"
        let pattern = try #require(throws: ValidationError.self) {
            try product.validateValue(&sku, for: Product.sku)
        }
        #expect("\(pattern)".hasPrefix("Product/1.sku: sku does not match the pattern "))
        context.isReadOnly = true
        product.price = 3
        #expect(throws: StoreError.self) { try context.save() }
    }

    @Test func conflicts() throws {
        let editor = container.newContext()
        let mine = try editor.existingObject(with: product.objectID, as: Product.self)
        mine.price = 9
        product.price = 12
        try context.save()
        let error = try #require(throws: ConflictError.self) { try editor.save() }
        #expect(error.conflicts[0].properties == ["price"])
        editor.refresh(mine, mergeChanges: true)
        try editor.save()
        context.mergePending()
        #expect(product.price == 9)

        context.mergePolicy = .objectTrump
        let book = Product(in: context, sku: "BK-1", price: 21)
        try context.save()
        #expect(book.objectID == product.objectID && product.price == 21)
        #expect(product.title == "On Trees")
    }

    @Test func relationships() throws {
        let books = Category(in: context, name: "Books")
        product.category = books
        #expect(books.products.contains(product))
        books.products.remove(product)
        #expect(product.category == nil)
        product.category = books
        product.tags.append(Tag(in: context, label: "old"))
        product.tags.append(Tag(in: context, label: "new"))
        product.tags.move(from: product.tags.count - 1, to: 0)
        #expect(product.tags[0].label == "new")
        try context.save()

        context.delete(books)
        let denied = try #require(throws: ValidationError.self) { try context.save() }
        #expect(denied.code == .deleteDenied)
        context.rollback()
        let order = Order(in: context, number: 1)
        _ = OrderLine(in: context, count: 1, order: order)
        try context.save()
        context.delete(order)
        try context.save()
        #expect(try context.count(for: OrderLine.fetchRequest()) == 0)

        let other = container.newContext()
        product.category = try other.existingObject(with: books.objectID, as: Category.self)
        let foreign = try #require(throws: StoreError.self) { try context.save() }
        #expect(foreign.code == .objectOfAnotherContext)
    }

    @Test func reads() throws {
        for number in 2...17 {
            _ = Product(
                in: context, sku: "BK-\(number)", price: 9,
                category: Category(in: context, name: "\(number)"))
        }
        try context.save()
        let reader = container.newContext()
        reader.stalenessInterval = 0
        let all = Product.fetchRequest()
        let error = try #require(throws: TooManyReadsError.self) {
            try reader.withReads(atMost: 2) {
                for product in try reader.fetch(all) { _ = product.category?.name }
            }
        }
        #expect(
            "\(error)".contains(
                "Product.category was read 16 times, object by object: add "
                    + ".prefetching(Product.category) to the request for Product"))
        let second = container.newContext()
        second.stalenessInterval = 0
        try second.withReads(atMost: 2) {
            for product in try second.fetch(all.prefetching(Product.category)) {
                _ = product.category?.name
            }
        }
        let long = try reader.fetchInBatches(all.batchSize(5))
        #expect(long.count == 17)
    }

    @Test func undo() throws {
        context.undoManager = ContextUndoManager()
        product.price = 12
        context.undo()
        #expect(product.price == 20)
        context.redo()
        #expect(product.price == 12)
        context.undoManager?.beginUndoGrouping()
        product.title = "Moss"
        product.stock = 3
        context.undoManager?.endUndoGrouping()
        context.undo()
        #expect(product.title == "On Trees" && product.stock == 0)

        let draft = context.newChildContext()
        let copy = try draft.existingObject(with: product.objectID, as: Product.self)
        copy.price = 13
        #expect(product.price == 12)
        try draft.save()
        #expect(product.price == 13 && context.hasChanges)
    }

    @Test func observation() throws {
        let changes = Changes()
        withObservationTracking {
            _ = product.title
        } onChange: {
            changes.count += 1
        }
        product.stock = 1
        #expect(changes.count == 0)
        product.title = "Moss"
        #expect(changes.count == 1)

        let observer = try ContextObserver(Product.stock == 0, in: context) { found in
            changes.count += found.inserted.count
        }
        context.processPendingChanges()
        product.stock = 0
        context.processPendingChanges()
        #expect(changes.count == 2 && observer.count == 1)
    }

    @Test func batchWithoutNotifications() throws {
        var request = BatchUpdateRequest<Product>().set(Product.stock, to: 5)
        request.resultType = .objectIDs
        let result = try context.execute(request, merging: .none)
        #expect(product.stock == 0)
        ManagedObjectContext.mergeChanges(fromRemoteContextSave: result.changes, into: [context])
        #expect(product.stock == 5)
    }

    @Test func predicates() throws {
        let keys = Product.price < 20 && Product.category.name == "Books"
        let macro = try Condition<Product>(
            #Predicate { $0.price < 20 && $0.category?.name == "Books" })
        let text = try Condition<Product>(
            format: "price < %@ AND category.name == 'Books'", 20)
        #expect(keys == macro && macro == text)
        #expect(
            "\(Product.fetchRequest().filter(keys && macro || text))"
                .hasPrefix("Product where price < 20 AND category.name == 'Books' AND "))
    }
}

/// What an observer counts.
private final class Changes: @unchecked Sendable {
    var count = 0
}
