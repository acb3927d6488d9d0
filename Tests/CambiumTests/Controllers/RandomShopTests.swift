import Cambium
import Foundation
import ShopModel
import Testing

/// Random work in two contexts, while controllers of all kinds follow.
struct RandomShopTests {
    @Test(arguments: StoreKind.kinds)
    func `every difference leads to what a fetch finds`(_ kind: StoreKind) throws {
        try forEachSeed(share: 1 / Double(StoreKind.kinds.count)) { seed in
            try withContainer(Shop.model, on: kind) { container in
                var work = try ShopWork(container, seed: seed)
                for step in 0..<30 {
                    work.step()
                    let faults = try work.faults()
                    try #require(
                        faults.isEmpty,
                        """
                        CAMBIUM_SEED=\(seed), step \(step): \(faults.joined(separator: "\n"))
                        \(work.log.suffix(200).joined(separator: "\n"))
                        """)
                }
            }
        }
    }
}

/// A context with controllers, and a sibling that saves beside it.
private struct ShopWork {
    private(set) var log: [String] = []
    private var generator: SeededGenerator
    private let main: ManagedObjectContext
    private let sibling: ManagedObjectContext
    private var products: [FollowedController<Product>] = []
    private var categories: [FollowedController<ShopModel.Category>] = []
    /// What was done to since the last look.
    private var touched: Set<ObjectID> = []
    /// What the sibling has done and not saved.
    private var unsaved: Set<ObjectID> = []
    /// Where unsaved links of the main context lead: they are cleared where that is deleted.
    private var links: [(product: Product, category: ShopModel.Category)] = []
    private var number = 0

    init(_ container: PersistentContainer, seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        main = container.newContext()
        main.automaticallyMergesChangesFromParent = true
        sibling = container.newContext()
        sibling.automaticallyMergesChangesFromParent = true
        for _ in 0..<6 { insert(into: main) }
        try main.save()
        if generator.chance(0.5) { main.undoManager = ContextUndoManager() }
        try makeControllers()
        touched = []
    }

    private mutating func makeControllers() throws {
        let byTitle = Product.fetchRequest().sorted(by: Product.title)
        var batched = byTitle
        batched.batchSize = 2
        func summary(_ product: Product) -> String {
            "\(product.title) \(product.stock) \(product.category?.objectID.description ?? "")"
        }
        let lists: [FetchedResultsController<Product>] = [
            FetchedResultsController(byTitle, in: main),
            FetchedResultsController(byTitle.filter(Product.stock > 2), in: main),
            FetchedResultsController(byTitle.filter(Product.category.name < "c"), in: main),
            FetchedResultsController(byTitle.filter(Product.category == nil), in: main),
            FetchedResultsController(
                Product.fetchRequest().sorted(
                    by: Product.category.created.descending, Product.stock.ascending), in: main),
            FetchedResultsController(
                Product.fetchRequest().sorted(by: Product.title.descending(.natural)), in: main),
            FetchedResultsController(
                Product.fetchRequest().sorted(
                    by: Product.category.name.ascending.nilLast,
                    Product.title.ascending(.caseInsensitive)), in: main),
            FetchedResultsController(byTitle.limit(3), in: main),
            FetchedResultsController(batched, in: main),
            FetchedResultsController(batched.filter(Product.stock > 2), in: main),
            FetchedResultsController(byTitle.offset(2), in: main),
            FetchedResultsController(
                byTitle.filter(Product.category.products.count > 1), in: main),
        ]
        products = try lists.map { try FollowedController($0, summary: summary) }
        let sectioned: [FetchedResultsController<Product>] = [
            FetchedResultsController(byTitle, in: main, sectionedBy: Product.category.name),
            FetchedResultsController(batched, in: main, sectionedBy: Product.category.name),
            FetchedResultsController(
                Product.fetchRequest().filter(Product.category.isBrand == true).sorted(
                    by: Product.category.name.descending, Product.title.descending), in: main,
                sectionedBy: Product.category.name),
            FetchedResultsController(
                Product.fetchRequest().sorted(
                    by: Product.category.name.descending(.caseInsensitive).nilFirst,
                    Product.title.ascending), in: main, sectionedBy: Product.category.name),
        ]
        products += try sectioned.map {
            try FollowedController($0, sectionName: { $0.category?.name ?? "" }, summary: summary)
        }
        products.append(
            try FollowedController(
                FetchedResultsController(byTitle, in: main, sectionedBy: Product.stock),
                sectionName: { "\($0.stock)" }, summary: summary))
        categories = [
            try FollowedController(
                FetchedResultsController(
                    ShopModel.Category.listed, in: main, sectionedBy: ShopModel.Category.isBrand),
                sectionName: { "\($0.isBrand)" }, summary: { $0.name }),
            try FollowedController(
                FetchedResultsController(
                    ShopModel.Category.fetchRequest()
                        .filter(ShopModel.Category.products.any(Product.stock > 2))
                        .sorted(by: ShopModel.Category.name), in: main),
                summary: { $0.name }),
        ]
    }

    mutating func faults() throws -> [String] {
        _ = try main.count(for: Product.fetchRequest())  // merges and processes
        for (product, category) in links where category.isDeleted {
            touched.insert(product.objectID)
        }
        links = []
        noteLinks()
        let looks = generator.chance(0.2)
        var faults: [String] = []
        for (index, followed) in products.enumerated() {
            faults += try followed.faults(touched: touched, looks: looks)
                .map { "product list \(index): \($0)" }
        }
        for (index, followed) in categories.enumerated() {
            faults += try followed.faults(touched: touched, looks: looks)
                .map { "category list \(index): \($0)" }
        }
        touched = []
        return faults + main.invariantFaults() + sibling.invariantFaults(isMerged: false)
    }

    mutating func step() {
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            let isMain = generator.chance(0.5)
            let context = isMain ? main : sibling
            log.append(isMain ? "main:" : "sibling:")
            do {
                try change(context)
            } catch {
                log.append("failed: \(error)")
                rollBack(context)
            }
            noteLinks()
        }
    }

    private mutating func noteLinks() {
        for case let product as Product in main.insertedObjects.union(main.updatedObjects) {
            if let category = product.category { links.append((product, category)) }
        }
    }

    private mutating func change(_ context: ManagedObjectContext) throws {
        switch Int.random(in: 0..<22, using: &generator) {
        case 20: undo(redoes: false)
        case 21: undo(redoes: true)
        case 0..<3: insert(into: context)
        case 3..<6: try changeProduct(in: context)
        case 6..<9: try moveProduct(in: context)
        case 9..<12: try changeCategory(in: context)
        case 12: try deleteProduct(in: context)
        case 13: try deleteCategory(in: context)
        case 14: rollBack(context)
        case 15: try refresh(in: context)
        case 16: context.processPendingChanges()
        default: try save(context)
        }
    }

    private mutating func touch(_ object: ManagedObject?, _ context: ManagedObjectContext) {
        guard let object else { return }
        touched.insert(object.objectID)
        if context === sibling { unsaved.insert(object.objectID) }
    }

    private mutating func note(_ text: String) {
        log[log.count - 1] += " " + text
    }

    private mutating func pick<Entity: ManagedObject>(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext
    ) throws -> Entity? {
        try context.fetch(request).randomElement(using: &generator)
    }

    private mutating func name() -> String {
        ["a", "A", "b", "c", "C", "d", "é", "e\u{301}"].randomElement(using: &generator) ?? "a"
    }

    private mutating func insert(into context: ManagedObjectContext) {
        number += 1
        if generator.chance(0.3) {
            let category = ShopModel.Category(in: context, name: name())
            category.isBrand = generator.chance(0.5)
            category.created = Date(timeIntervalSinceReferenceDate: Double(number))
            touch(category, context)
            if !log.isEmpty { note("insert \(category.objectID)") }
            return
        }
        let product = Product(in: context, sku: "AB-\(number)", kind: .toy, price: 1)
        product.title = name()
        product.stock = Int32.random(in: 0..<5, using: &generator)
        if generator.chance(0.7) {
            product.category = try? pick(ShopModel.Category.fetchRequest(), in: context)
            touch(product.category, context)
        }
        touch(product, context)
        if !log.isEmpty { note("insert \(product.objectID)") }
    }

    private mutating func changeProduct(in context: ManagedObjectContext) throws {
        guard let product = try pick(Product.fetchRequest(), in: context) else { return }
        if generator.chance(0.5) {
            product.title = name()
        } else {
            product.stock = Int32.random(in: 0..<5, using: &generator)
        }
        touch(product, context)
        note("change \(product.objectID): \(product.title) \(product.stock)")
    }

    private mutating func moveProduct(in context: ManagedObjectContext) throws {
        guard let product = try pick(Product.fetchRequest(), in: context) else { return }
        touch(product.category, context)
        product.category =
            generator.chance(0.2)
            ? nil : try pick(ShopModel.Category.fetchRequest(), in: context)
        touch(product, context)
        touch(product.category, context)
        note("move \(product.objectID) to \(product.category?.objectID.description ?? "none")")
    }

    private mutating func changeCategory(in context: ManagedObjectContext) throws {
        guard let category = try pick(ShopModel.Category.fetchRequest(), in: context) else {
            return
        }
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: category.name = name()
        case 1: category.isBrand.toggle()
        default:
            category.created = Date(
                timeIntervalSinceReferenceDate: Double.random(in: 0..<100, using: &generator))
        }
        touch(category, context)
        note("change \(category.objectID): \(category.name) \(category.isBrand)")
    }

    private mutating func deleteProduct(in context: ManagedObjectContext) throws {
        guard let product = try pick(Product.fetchRequest(), in: context) else { return }
        touch(product, context)
        touch(product.category, context)
        note("delete \(product.objectID)")
        context.delete(product)
    }

    private mutating func deleteCategory(in context: ManagedObjectContext) throws {
        guard let category = try pick(ShopModel.Category.fetchRequest(), in: context) else {
            return
        }
        touch(category, context)
        for product in category.products {
            touch(product, context)
            product.category = nil
        }
        note("delete \(category.objectID)")
        context.delete(category)
    }

    private mutating func refresh(in context: ManagedObjectContext) throws {
        let merges = generator.chance(0.5)
        if generator.chance(0.4) {
            guard let category = try pick(ShopModel.Category.fetchRequest(), in: context) else {
                return
            }
            touch(category, context)
            context.refresh(category, mergeChanges: merges)
            return note("refresh \(category.objectID), merging \(merges)")
        }
        guard let product = try pick(Product.fetchRequest(), in: context) else { return }
        touch(product, context)
        touch(product.category, context)
        context.refresh(product, mergeChanges: merges)
        touch(product.category, context)
        note("refresh \(product.objectID), merging \(merges)")
    }

    /// What is taken back or done again may be anything.
    private mutating func undo(redoes: Bool) {
        touched.formUnion(main.registeredObjects.map(\.objectID))
        note(redoes ? "redo" : "undo")
        if redoes { main.redo() } else { main.undo() }
        touched.formUnion(main.registeredObjects.map(\.objectID))
    }

    private mutating func rollBack(_ context: ManagedObjectContext) {
        note("roll back")
        guard context === main else {
            unsaved = []
            return context.rollback()
        }
        // What is taken back may be any unsaved change, and links at both ends.
        let changed = main.updatedObjects.union(main.deletedObjects).union(main.insertedObjects)
        func touchAll() {
            for object in changed {
                touched.insert(object.objectID)
                if let product = object as? Product, let category = product.category {
                    touched.insert(category.objectID)
                }
            }
        }
        touchAll()
        main.rollback()
        touchAll()
    }

    /// Where the rows lead on which unsaved changes rest, which others have saved or deleted now:
    /// the categories may be named, though they show the same until the conflict is decided.
    private mutating func touchFormerCategories() {
        for id in unsaved {
            let values = try? main.registeredObject(for: id)?
                .committedValues(forKeys: ["category"])
            if case .toOne(let category?) = values?["category"] { touched.insert(category) }
        }
    }

    private mutating func save(_ context: ManagedObjectContext) throws {
        note("save")
        try context.save()
        if context === sibling {
            touched.formUnion(unsaved)
            touchFormerCategories()
            unsaved = []
        }
    }
}
