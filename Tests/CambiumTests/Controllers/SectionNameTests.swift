import Cambium
import Foundation
import ShopModel
import Testing

/// Sections whose names are derived from values, and what stands for sections in an index.
struct SectionNameTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try PersistentContainer(model: Shop.model, at: .temporary)
        context = container.newContext()
    }

    @discardableResult
    private func insert(_ title: String, stock: Int32) -> Product {
        let product = Product(in: context, sku: "AB-\(stock)", kind: .book, price: 1)
        product.title = title
        product.stock = stock
        return product
    }

    private func controller(
        _ name: @escaping (Int32?) -> String
    ) -> FetchedResultsController<Product> {
        FetchedResultsController(
            Product.fetchRequest().sorted(by: Product.title), in: context,
            sectionedBy: Product.stock, named: name)
    }

    private static func level(_ stock: Int32?) -> String {
        (stock ?? 0) < 10 ? "few" : "many"
    }

    private static func shown(_ controller: FetchedResultsController<Product>) -> [String] {
        controller.sections.map { section in
            "\(section.name): " + section.objects.map(\.title).joined(separator: " ")
        }
    }

    @Test func `values of one name are one section`() throws {
        for stock: Int32 in [1, 5, 12, 30] { insert("t\(stock)", stock: stock) }
        let controller = controller(Self.level)
        try controller.performFetch()
        #expect(Self.shown(controller) == ["few: t1 t5", "many: t12 t30"])
        #expect(controller.sections.map(\.numberOfObjects) == [2, 2])
        #expect(controller.sections[1].value(of: Product.stock) == 12)
        #expect(controller.sections[1].value(of: Product.title) == nil, "another key makes them")
    }

    @Test func `objects move between sections of derived names, which come and go`() throws {
        let products = [1, 5, 12].map { insert("t\($0)", stock: $0) }
        let controller = controller(Self.level)
        try controller.performFetch()
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        products[1].stock = 7
        context.processPendingChanges()
        #expect(delegate.words(\.title) == ["update t5"], "its section and neighbours are the same")
        products[2].stock = 3
        context.processPendingChanges()
        #expect(Self.shown(controller) == ["few: t1 t12 t5"])
        #expect(delegate.told.last?.deletedSections.map(\.name) == ["many"])
        products[0].stock = 99
        context.processPendingChanges()
        #expect(Self.shown(controller) == ["few: t12 t5", "many: t1"])
        #expect(delegate.told.last?.insertedSections.map(\.name) == ["many"])
        #expect(delegate.faults == [])
    }

    @Test func `rule 46: a section name that comes back is an error, and no mangled list`() throws {
        for stock: Int32 in 1...4 { insert("t\(stock)", stock: stock) }
        let controller = controller { ($0 ?? 0).isMultiple(of: 2) ? "even" : "odd" }
        let error = #expect(throws: StoreError.self) { try controller.performFetch() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("not adjacent in the sort order") == true)
        #expect(controller.fetchedObjects == nil)
        #expect(controller.sections.isEmpty)
    }

    @Test func `a change that would tear a section apart is an error of the next save`() throws {
        let one = insert("t1", stock: 1)
        insert("t3", stock: 3)
        let controller = controller { ($0 ?? 0).isMultiple(of: 2) ? "even" : "odd" }
        try controller.performFetch()
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        let two = insert("t2", stock: 2)
        context.processPendingChanges()
        #expect(Self.shown(controller) == ["odd: t1 t3"], "the list is as it was")
        #expect(delegate.told.isEmpty)
        #expect(throws: StoreError.self) { try context.save() }
        // As soon as it is possible again the list is brought up to date.
        one.stock = 5
        context.processPendingChanges()
        #expect(Self.shown(controller) == ["even: t2", "odd: t3 t1"])
        #expect(two.stock == 2)
        #expect(delegate.faults == [])
        try context.save()
    }

    @Test func `a list that could not follow a change tries again with the next fetch`() throws {
        var isTorn = true
        insert("t1", stock: 1)
        insert("t3", stock: 3)
        let controller = controller { isTorn && $0 == 2 ? "even" : "odd" }
        try controller.performFetch()
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        insert("t2", stock: 2)
        context.processPendingChanges()
        _ = try context.count(for: Product.fetchRequest())
        #expect(Self.shown(controller) == ["odd: t1 t3"])
        isTorn = false
        _ = try context.count(for: Product.fetchRequest())
        #expect(Self.shown(controller) == ["odd: t1 t2 t3"])
        #expect(delegate.words(\.title) == ["insert t2"])
        #expect(throws: StoreError.self, "the save throws what went wrong, once") {
            try context.save()
        }
        try context.save()
        #expect(delegate.faults == [])
    }

    @Test func `titles for an index are the first letters of the sections`() throws {
        for (index, name) in ["adventure", "art", "biology", "chess"].enumerated() {
            let category = ShopModel.Category(in: context, name: name)
            insert("t", stock: Int32(index)).category = category
        }
        let controller = FetchedResultsController(
            Product.fetchRequest().sorted(by: Product.title), in: context,
            sectionedBy: Product.category.name)
        try controller.performFetch()
        #expect(controller.sections.map(\.indexTitle) == ["A", "A", "B", "C"])
        #expect(controller.sectionIndexTitles == ["A", "B", "C"])
        #expect(controller.section(forSectionIndexTitle: "B", at: 1) == 2)
        #expect(controller.section(forSectionIndexTitle: "C", at: 0) == 3)
        #expect(controller.section(forSectionIndexTitle: "X", at: 0) == nil)
        let delegate = TitleDelegate()
        controller.delegate = delegate
        #expect(controller.sectionIndexTitles == ["ad", "ar", "bi", "ch"])
        #expect(controller.sectionIndexTitle(forSectionName: "dance") == "da")
        controller.delegate = nil
        #expect(controller.sectionIndexTitle(forSectionName: "dance") == "D")
        #expect(controller.sectionIndexTitle(forSectionName: "") == nil)
        withExtendedLifetime(delegate) {}
    }

    private final class TitleDelegate: FetchedResultsControllerDelegate {
        func controller(
            _ controller: FetchedResultsController<Product>,
            sectionIndexTitleForSectionName name: String
        ) -> String? {
            String(name.prefix(2))
        }
    }
}
