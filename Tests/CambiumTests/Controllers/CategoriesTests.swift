import Cambium
import Foundation
import ShopModel
import Testing

/// A shop's list of categories: two sections, brands first, the newest first in each.
@Suite(.onServers)
struct CategoriesTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<ShopModel.Category>
    private let delegate: MirrorDelegate<ShopModel.Category>

    init() throws {
        container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        self.context = context
        for (day, name) in ["Books", "Toys"].enumerated() {
            Self.insert(name, day: day, isBrand: false, into: context)
        }
        try context.save()
        controller = FetchedResultsController(
            ShopModel.Category.listed, in: context, sectionedBy: ShopModel.Category.isBrand)
        try controller.performFetch()
        delegate = MirrorDelegate(controller)
        controller.delegate = delegate
    }

    @discardableResult
    private static func insert(
        _ name: String, day: Int, isBrand: Bool, into context: ManagedObjectContext
    ) -> ShopModel.Category {
        let category = ShopModel.Category(in: context, name: name)
        category.created = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
        category.isBrand = isBrand
        return category
    }

    private var shown: [[String]] { controller.sections.map { $0.objects.map(\.name) } }

    @Test func `a table reads its sections, rows and titles from the controller`() {
        #expect(controller.sections.count == 1)
        #expect(controller.sections[0].numberOfObjects == 2)
        #expect(controller.sections[0].objects.first?.sectionTitle == "Categories")
        #expect(controller.object(at: ItemPath(section: 0, item: 0))?.name == "Toys")
        #expect(controller.object(at: ItemPath(section: 0, item: 2)) == nil)
        #expect(controller.object(at: ItemPath(section: 1, item: 0)) == nil)
    }

    @Test func `the first brand inserts a section before the row`() {
        Self.insert("Acme", day: 5, isBrand: true, into: context)
        context.processPendingChanges()
        #expect(shown == [["Acme"], ["Toys", "Books"]])
        #expect(delegate.told.first?.insertedSections.map(\.index) == [0])
        #expect(delegate.words(\.name) == ["insert Acme"])
        #expect(delegate.faults == [])
    }

    @Test func `a category that becomes a brand moves to the other section`() throws {
        let toys = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
        toys.isBrand = true
        context.processPendingChanges()
        #expect(shown == [["Toys"], ["Books"]])
        #expect(delegate.words(\.name) == ["move Toys"])
        toys.isBrand = false
        context.processPendingChanges()
        #expect(shown == [["Toys", "Books"]])
        #expect(delegate.told.last?.deletedSections.map(\.index) == [0])
        #expect(delegate.faults == [])
    }

    @Test func `a new name is an update, a new date a move`() throws {
        let books = try #require(controller.object(at: ItemPath(section: 0, item: 1)))
        books.name = "Literature"
        context.processPendingChanges()
        #expect(delegate.words(\.name) == ["update Literature"])
        delegate.forget()
        books.created = Date(timeIntervalSinceReferenceDate: 9 * 86_400)
        context.processPendingChanges()
        #expect(delegate.words(\.name) == ["move Literature"])
        #expect(shown == [["Literature", "Toys"]])
        #expect(delegate.faults == [])
    }

    @Test func `a new date that keeps the place is an update`() throws {
        let toys = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
        toys.created = Date(timeIntervalSinceReferenceDate: 9 * 86_400)
        context.processPendingChanges()
        #expect(delegate.words(\.name) == ["update Toys"])
    }

    @Test func `the last category of a section takes the section along`() throws {
        for category in try context.fetch(ShopModel.Category.fetchRequest()) {
            context.delete(category)
        }
        context.processPendingChanges()
        #expect(controller.sections.isEmpty)
        #expect(delegate.told.first?.deletedSections.map(\.index) == [0])
        #expect(delegate.words(\.name) == ["delete Toys", "delete Books"])
        context.rollback()
        #expect(shown == [["Toys", "Books"]])
        #expect(delegate.faults == [])
    }

    @Test func `a deletion that another context's save meets does not bring the row back`() throws {
        let toys = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
        context.delete(toys)
        let other = container.newContext()
        for category in try other.fetch(ShopModel.Category.fetchRequest()) {
            category.name += "!"
        }
        try other.save()
        context.mergePending()
        #expect(shown == [["Books!"]])
        #expect(delegate.words(\.name) == ["delete Toys", "update Books!"])
    }

    @Test func `a change within a delegate's call is told afterwards`() throws {
        let toys = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
        let other = container.newContext()
        delegate.onChange = { [context, delegate] in
            delegate.onChange = nil
            Self.insert("Games", day: 7, isBrand: false, into: other)
            try? other.save()
            context.mergePending()
            #expect(delegate.told.count == 1, "the first change is not told to its end yet")
        }
        toys.name = "Toys and more"
        context.processPendingChanges()
        #expect(shown == [["Games", "Toys and more", "Books"]])
        #expect(delegate.words(\.name) == ["update Toys and more", "insert Games"])
        #expect(delegate.faults == [])
    }

    @Test func `a request without an order, or without unsaved changes, is refused`() throws {
        let unordered = FetchedResultsController(ShopModel.Category.fetchRequest(), in: context)
        #expect(throws: StoreError.self) { try unordered.performFetch() }
        var request = ShopModel.Category.listed
        request.includesPendingChanges = false
        let saved = FetchedResultsController(request, in: context)
        #expect(throws: StoreError.self) { try saved.performFetch() }
    }

    @Test func `a request for an entity of another class is refused`() throws {
        let products = FetchRequest<ShopModel.Category>(entityName: "Product")
            .sorted(by: ShopModel.Category.name)
        let controller = FetchedResultsController(products, in: context)
        let error = #expect(throws: StoreError.self) { try controller.performFetch() }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `strings with other bytes are other sections, though Swift calls them equal`() throws
    {
        let composed = Self.insert("\u{e9}", day: 1, isBrand: false, into: context)
        let decomposed = Self.insert("e\u{301}", day: 2, isBrand: false, into: context)
        let names = FetchedResultsController(
            ShopModel.Category.fetchRequest(), in: context, sectionedBy: ShopModel.Category.name)
        try names.performFetch()
        let mirror = MirrorDelegate(names)
        names.delegate = mirror
        #expect(names.sections.count == 4)
        composed.name = decomposed.name
        context.processPendingChanges()
        #expect(names.sections.map(\.numberOfObjects) == [1, 1, 2])
        #expect(names.indexPath(for: composed) != nil)
        #expect(mirror.faults == [])
    }

    @Test func `a controller of products follows what changes in their categories`() throws {
        let books = try #require(controller.object(at: ItemPath(section: 0, item: 1)))
        for number in 1...3 {
            let product = Product(
                in: context, sku: "AB-\(number)", kind: .book, price: 1, category: books)
            product.title = "Title \(number)"
        }
        try context.save()
        // The main context of this test knows none of the rows.
        let main = container.newContext()
        let products = FetchedResultsController(
            Product.fetchRequest().filter(Product.category.name == "Literature")
                .sorted(by: Product.title), in: main, sectionedBy: Product.category.name)
        try products.performFetch()
        let mirror = MirrorDelegate(products)
        products.delegate = mirror
        #expect(products.fetchedObjects?.count == 0)
        books.name = "Literature"
        try context.save()
        main.mergePending()
        #expect(mirror.words(\.title) == ["insert Title 1", "insert Title 2", "insert Title 3"])
        #expect(products.sections.map(\.name) == ["Literature"])
        books.name = "Books"
        try context.save()
        main.mergePending()
        #expect(products.sections.isEmpty)
        #expect(mirror.faults == [])
    }
}
