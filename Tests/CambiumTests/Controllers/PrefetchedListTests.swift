import Cambium
import ShopModel
import Testing

/// What a request prefetches is read with the objects of a list, whenever they come.
struct PrefetchedListTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try PersistentContainer(model: Shop.model, at: .temporary)
        context = container.newContext()
        context.stalenessInterval = 0  // no fault is answered by a cache
        try insert(0..<30)
    }

    /// Products of categories of their own.
    private func insert(_ numbers: Range<Int>) throws {
        let writer = container.newContext()
        for number in numbers {
            let product = Product(in: writer, sku: "AB-\(number)", kind: .book, price: 1)
            product.title = "\(number)"
            product.category = ShopModel.Category(in: writer, name: "of \(number)")
        }
        try writer.save()
    }

    private func controller(
        batchSize: Int
    ) throws -> FetchedResultsController<Product> {
        var request = Product.fetchRequest().sorted(by: Product.title)
            .prefetching(Product.category)
        request.batchSize = batchSize
        let controller = FetchedResultsController(request, in: context)
        try controller.performFetch()
        return controller
    }

    @Test func `with the fetch, and with what comes later`() throws {
        let controller = try controller(batchSize: 0)
        let changes = controller.changes
        func names() throws -> [String] {
            try context.withReads(atMost: 0) {
                (controller.fetchedObjects ?? []).compactMap { $0.category?.name }
            }
        }
        #expect(try names().count == 30)
        try insert(30..<35)
        context.mergePending()
        #expect(try names().count == 35)
        withExtendedLifetime(changes) {}
    }

    @Test func `with each window of a list that keeps keys`() throws {
        let controller = try controller(batchSize: 10)
        context.dropUnheldObjects()
        for (item, reads) in [(0, 2), (9, 0), (10, 2)] {
            let name = try context.withReads(atMost: reads) {
                controller.object(at: ItemPath(section: 0, item: item))?.category?.name
            }
            #expect(name != nil)
        }
    }
}
