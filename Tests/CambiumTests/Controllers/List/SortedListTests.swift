import Cambium
import ShopModel
import Testing

/// Lists in other orders than that of bytes: what changes goes where a fetch would put it.
struct SortedListTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try PersistentContainer(model: Shop.model, at: .temporary)
        context = container.newContext()
    }

    @discardableResult
    private func insert(_ title: String, _ category: ShopModel.Category? = nil) throws -> Product {
        let number = try context.count(for: Product.fetchRequest())
        let product = Product(in: context, sku: "AB-\(number)", kind: .book, price: 1)
        product.title = title
        product.category = category
        return product
    }

    private func follow(
        _ controller: FetchedResultsController<Product>
    ) throws -> MirrorDelegate<Product> {
        try controller.performFetch()
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        return delegate
    }

    private static func titles(_ controller: FetchedResultsController<Product>) -> [String] {
        (controller.fetchedObjects ?? []).map(\.title)
    }

    @Test func `numbers in texts are in order of their values, also what comes later`() throws {
        for title in ["Chapter 9", "Chapter 10", "chapter 1"] { try insert(title) }
        let controller = FetchedResultsController(
            Product.fetchRequest().sorted(by: Product.title.ascending(.natural)), in: context)
        let delegate = try follow(controller)
        let second = try insert("Chapter 2")
        try insert("Chapter 100")
        context.processPendingChanges()
        #expect(
            Self.titles(controller)
                == ["chapter 1", "Chapter 2", "Chapter 9", "Chapter 10", "Chapter 100"])
        second.title = "Chapter 11"
        context.processPendingChanges()
        #expect(
            Self.titles(controller)
                == ["chapter 1", "Chapter 9", "Chapter 10", "Chapter 11", "Chapter 100"])
        #expect(
            delegate.words(\.title)
                == ["insert Chapter 11", "insert Chapter 100", "move Chapter 11"])
        #expect(delegate.faults == [])
    }

    @Test func `another case is an update where case does not count`() throws {
        let titles = ["a", "b", "c"]
        let products = try titles.map { try insert($0) }
        let controller = FetchedResultsController(
            Product.fetchRequest().sorted(by: Product.title.descending(.caseInsensitive)),
            in: context)
        let delegate = try follow(controller)
        products[1].title = "B"
        context.processPendingChanges()
        products[0].title = "D"
        context.processPendingChanges()
        #expect(Self.titles(controller) == ["D", "c", "B"])
        #expect(delegate.words(\.title) == ["update B", "move D"])
        #expect(delegate.faults == [])
    }

    @Test func `what has no value comes where the order says`() throws {
        let books = ShopModel.Category(in: context, name: "Books")
        try insert("b1", books)
        let plain = try insert("p")
        let controller = FetchedResultsController(
            Product.fetchRequest()
                .sorted(by: Product.category.name.ascending.nilLast, Product.title.ascending),
            in: context)
        let delegate = try follow(controller)
        try insert("b2", books)
        context.processPendingChanges()
        #expect(Self.titles(controller) == ["b1", "b2", "p"])
        plain.category = books
        plain.title = "a"
        context.processPendingChanges()
        #expect(Self.titles(controller) == ["a", "b1", "b2"])
        #expect(delegate.words(\.title) == ["insert b2", "move a"])
        #expect(delegate.faults == [])
    }

    @Test func `sections may be in such an order, one for each text`() throws {
        let categories = ["b", "A", "a"].map { ShopModel.Category(in: context, name: $0) }
        for category in categories { try insert("in \(category.name)", category) }
        try insert("alone")
        let controller = FetchedResultsController(
            Product.fetchRequest().sorted(
                by: Product.category.name.ascending(.caseInsensitive).nilLast,
                Product.title.ascending), in: context, sectionedBy: Product.category.name)
        let delegate = try follow(controller)
        #expect(controller.sections.map(\.name) == ["A", "a", "b", ""])
        let capital = ShopModel.Category(in: context, name: "B")
        try insert("in B", capital)
        try insert("in a too", categories[2])
        context.processPendingChanges()
        #expect(controller.sections.map(\.name) == ["A", "a", "B", "b", ""])
        #expect(controller.sections.map(\.numberOfObjects) == [1, 2, 1, 1, 1])
        #expect(delegate.told.flatMap(\.insertedSections).map(\.index) == [2])
        categories[0].name = "_"
        context.processPendingChanges()
        #expect(controller.sections.map(\.name) == ["_", "A", "a", "B", ""])
        #expect(delegate.faults == [])
    }
}
