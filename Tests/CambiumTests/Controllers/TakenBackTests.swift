import Cambium
import ShopModel
import Testing

/// Changes that are taken back, of objects that keep other unsaved changes: controllers that look at
/// them follow.
struct TakenBackTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let categories: [ShopModel.Category]
    private let products: [Product]

    /// Two products in category "a", none in category "b".
    init() throws {
        container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        categories = ["a", "b"].map { ShopModel.Category(in: context, name: $0) }
        products = (0..<2).map { Product(in: context, sku: "AB-\($0)", kind: .toy, price: 1) }
        for product in products { product.category = categories[0] }
        try context.save()
        context.undoManager = ContextUndoManager()
        self.context = context
    }

    enum Step: CaseIterable { case undo, refresh, refreshMerging, rollback }

    /// Moves a product, renames the category that it left, and takes the name back.
    private func rename(thenBackBy step: Step, whileFollowed body: () throws -> Void) throws {
        products[0].category = categories[1]
        context.processPendingChanges()
        categories[0].name = "n1"
        context.processPendingChanges()
        try body()
        switch step {
        case .undo: context.undo()
        case .refresh: context.refresh(categories[0], mergeChanges: false)
        case .refreshMerging: context.refresh(categories[0], mergeChanges: true)
        case .rollback: context.rollback()
        }
        context.processPendingChanges()
    }

    private func controller(
        _ request: FetchRequest<Product>, inSections: Bool = false
    ) throws -> FollowedController<Product> {
        let controller =
            inSections
            ? FetchedResultsController(request, in: context, sectionedBy: Product.category.name)
            : FetchedResultsController(request, in: context)
        return try FollowedController(
            controller, sectionName: { inSections ? $0.category?.name ?? "" : "" },
            summary: \.title)
    }

    @Test(arguments: Step.allCases)
    func `sections, orders and conditions over a related object`(_ step: Step) throws {
        let byTitle = Product.fetchRequest().sorted(by: Product.title)
        let followed = [
            try controller(byTitle, inSections: true),
            try controller(byTitle.filter(Product.category.name == "a")),
            try controller(
                Product.fetchRequest().sorted(by: Product.category.name.descending)),
        ]
        var told = 0
        let observer = try ContextObserver(Product.category.name == "n1", in: context) { _ in
            told += 1
        }
        let touched = Set((products + categories).map(\.objectID))
        try rename(thenBackBy: step) {
            #expect(followed[0].controller.sections.map(\.name) == ["b", "n1"])
            #expect(observer.count == 1)
        }
        let name = step == .refreshMerging ? "n1" : "a"
        #expect(categories[0].name == name)
        let sections = step == .rollback ? ["a"] : name == "a" ? ["a", "b"] : ["b", "n1"]
        #expect(followed[0].controller.sections.map(\.name) == sections)
        #expect(observer.count == (name == "a" ? 0 : 1))
        for followed in followed {
            #expect(try followed.faults(touched: touched, looks: true) == [])
        }
        try context.save()
        #expect(followed[0].controller.sections.map(\.name) == sections)
        withExtendedLifetime(observer) {}
    }

    @Test func `values that a refresh has read, below changes that stay`() throws {
        let followed = try controller(
            Product.fetchRequest().sorted(by: Product.title), inSections: true)
        categories[0].isBrand = true
        context.processPendingChanges()
        let sibling = container.newContext()
        try sibling.get(categories[0].objectID, as: ShopModel.Category.self).name = "theirs"
        try sibling.save()
        context.refresh(categories[0], mergeChanges: true)
        context.processPendingChanges()
        #expect(categories[0].name == "theirs" && categories[0].isBrand)
        #expect(followed.controller.sections.map(\.name) == ["theirs"])
    }

    @Test(arguments: [Step.undo, .refresh, .rollback])
    func `links that are taken back are told as an update, at both ends`(_ step: Step) throws {
        let controller = FetchedResultsController(
            ShopModel.Category.fetchRequest().sorted(by: ShopModel.Category.name), in: context)
        let followed = try FollowedController(controller) { "\($0.products.count)" }
        let touched = Set(categories.map(\.objectID))
        products[0].category = categories[1]
        context.processPendingChanges()
        #expect(try followed.faults(touched: touched, looks: true) == [])
        switch step {
        case .undo: context.undo()
        case .rollback: context.rollback()
        case .refresh, .refreshMerging: context.refresh(products[0], mergeChanges: false)
        }
        context.processPendingChanges()
        #expect(categories.map(\.products.count) == [2, 0])
        #expect(try followed.faults(touched: touched, looks: true) == [])
    }

    @Test func `a new object that gets a link in a later event is told as updated`() throws {
        let controller = FetchedResultsController(
            ShopModel.Category.fetchRequest().sorted(by: ShopModel.Category.name), in: context)
        let followed = try FollowedController(controller) { "\($0.products.count)" }
        let new = ShopModel.Category(in: context, name: "c")
        context.processPendingChanges()
        _ = try followed.faults(touched: [new.objectID], looks: true)
        products[0].category = new
        context.processPendingChanges()
        let touched = Set((categories + [new]).map(\.objectID))
        #expect(try followed.faults(touched: touched, looks: true) == [])
    }

    @Test func `what is set after a link was dropped in the same event can be undone`() throws {
        categories[0].isBrand = true
        products[0].category = categories[1]
        context.processPendingChanges()
        context.refresh(products[0], mergeChanges: false)
        categories[0].name = "later"
        context.processPendingChanges()
        context.undo()
        #expect(categories[0].name == "a" && categories[0].isBrand)
    }

    // MARK: Beside another context

    private func followCategories() throws -> FollowedController<ShopModel.Category> {
        try FollowedController(
            FetchedResultsController(
                ShopModel.Category.fetchRequest().sorted(by: ShopModel.Category.name), in: context)
        ) { "\($0.products.count)" }
    }

    @Test(arguments: ["moves", "deletes"])
    func `a member that another context takes away is an update of its owner`(
        _ how: String
    ) throws {
        let followed = try followCategories()
        let touched = Set(categories.map(\.objectID))
        #expect(try followed.faults(touched: touched, looks: true) == [])
        let sibling = container.newContext()
        // It does not know the category that the product was in.
        let same: Product = try sibling.get(products[0].objectID)
        if how == "moves" { same.category = nil } else { sibling.delete(same) }
        try sibling.save()
        context.mergePending()
        #expect(categories[0].products.count == 1)
        #expect(try followed.faults(touched: touched, looks: true) == [])
    }

    @Test func `a link that a merge policy takes back is an update of both ends`() throws {
        context.mergePolicy = .rollback
        let followed = try followCategories()
        let sibling = container.newContext()
        try sibling.get(products[0].objectID, as: Product.self).title = "theirs"
        products[0].category = categories[1]
        context.processPendingChanges()
        _ = try followed.faults(touched: Set(categories.map(\.objectID)), looks: true)
        try sibling.save()
        try context.save()
        #expect(categories.map(\.products.count) == [2, 0])
        #expect(
            try followed.faults(touched: Set(categories.map(\.objectID)), looks: true) == [])
    }

    @Test(arguments: [MergePolicy.rollback, .storeTrump], [true, false])
    func `a deletion that a merge policy takes back is an update of the owner`(
        _ policy: MergePolicy, _ isRegistered: Bool
    ) throws {
        let context = container.newContext()
        context.mergePolicy = policy
        let product: Product = try context.get(products[0].objectID)
        var category: ShopModel.Category?
        if isRegistered { category = try context.get(categories[0].objectID) }
        let sibling = container.newContext()
        try sibling.get(products[0].objectID, as: Product.self).title = "theirs"
        context.delete(product)
        context.processPendingChanges()
        let followed = try FollowedController(
            FetchedResultsController(ShopModel.Category.listed, in: context)
        ) { "\($0.products.count)" }
        let owner = try category ?? context.get(categories[0].objectID)
        #expect(owner.products.count == 1)
        var told: Set<ManagedObject> = []
        let token = context.observe(.objectsDidChange) {
            told.formUnion($0.updated.union($0.refreshed))
        }
        try sibling.save()
        try context.save()
        #expect(product.title == "theirs" && owner.products.count == 2)
        #expect(told == [product, owner])
        #expect(try followed.faults(touched: [owner.objectID], looks: true) == [])
        #expect(context.invariantFaults() == [])
        withExtendedLifetime(token) {}
    }

    /// The list is fetched again at the deletion of the category, and sees the link that is cleared.
    @Test func `a list with a limit tells what it has seen before`() throws {
        let new = ShopModel.Category(in: context, name: "c")
        try context.save()
        let followed = try FollowedController(
            FetchedResultsController(
                Product.fetchRequest().sorted(by: Product.category.created, Product.sku).limit(5),
                in: context)
        ) { "\($0.category?.objectID.key ?? 0)" }
        for product in products { product.category = new }
        context.processPendingChanges()
        _ = try followed.faults(touched: Set(products.map(\.objectID)), looks: true)
        let sibling = container.newContext()
        sibling.delete(sibling.object(with: new.objectID))
        try sibling.save()
        context.mergePending()
        #expect(products.allSatisfy { $0.category == nil })
        #expect(try followed.faults(touched: Set(products.map(\.objectID)), looks: true) == [])
    }

    @Test(arguments: ["moves", "deletes"])
    func `a context that has not read the owner names it all the same`(_ how: String) throws {
        let observed = container.newContext()
        observed.automaticallyMergesChangesFromParent = true
        var told: [ChangedObjectIDs] = []
        let token = observed.observe(.didMergeChangesObjectIDs) { told.append($0) }
        let sibling = container.newContext()
        for product in products {
            let same: Product = try sibling.get(product.objectID)
            if how == "moves" { same.category = nil } else { sibling.delete(same) }
        }
        #expect(sibling.registeredObject(for: categories[0].objectID) == nil)
        try sibling.save()
        observed.mergePending()
        #expect(told.count == 1)
        #expect(told.first?.updated.contains(categories[0].objectID) == true)
        #expect(told.first?.updated.contains(categories[1].objectID) == false)
        withExtendedLifetime(token) {}
    }

    @Test func `what waits for a conflict stays in the relationships that it leads to`() throws {
        context.automaticallyMergesChangesFromParent = true
        let followed = try followCategories()
        products[0].title = "mine"
        context.processPendingChanges()
        let sibling = container.newContext()
        sibling.delete(sibling.object(with: products[0].objectID))
        try sibling.save()
        context.refresh(categories[0], mergeChanges: false)
        let full = try context.fetch(
            ShopModel.Category.fetchRequest().filter(ShopModel.Category.products.count == 2))
        #expect(full == [categories[0]])
        #expect(Set(categories[0].products) == Set(products))
        let touched = Set(categories.map(\.objectID))
        #expect(try followed.faults(touched: touched, looks: true) == [])
        context.refresh(products[0], mergeChanges: false)
        context.processPendingChanges()
        #expect(products[0].isDeleted && Array(categories[0].products) == [products[1]])
        #expect(try followed.faults(touched: touched, looks: true) == [])
        #expect(context.invariantFaults() == [])
    }

    @Test func `what left a conflict to the save stays in the relationships that it leads to`()
        throws
    {
        context.automaticallyMergesChangesFromParent = true
        products[0].title = "mine"
        let sibling = container.newContext()
        let theirs: Product = try sibling.get(products[0].objectID)
        theirs.title = "theirs"
        theirs.category = try sibling.get(categories[1].objectID)
        try sibling.save()
        _ = try context.count(for: Product.fetchRequest())
        #expect(products[0].title == "mine" && products[0].category == categories[0])
        #expect(categories.map(\.products.count) == [2, 0])
        #expect(context.invariantFaults() == [])
        context.refresh(products[0], mergeChanges: false)
        context.processPendingChanges()
        #expect(products[0].category == categories[1])
        #expect(categories.map(\.products.count) == [1, 1])
    }

    @Test func `a refresh that reads below the changes tells both ends of a link`() throws {
        let followed = try followCategories()
        products[0].title = "mine"
        context.processPendingChanges()
        let sibling = container.newContext()
        try sibling.get(products[0].objectID, as: Product.self).category = sibling.get(
            categories[1].objectID)
        try sibling.save()
        context.stalenessInterval = 0
        context.refreshAllObjects()
        context.processPendingChanges()
        #expect(products[0].title == "mine" && products[0].category == categories[1])
        #expect(categories.map(\.products.count) == [1, 1])
        #expect(
            try followed.faults(touched: Set(categories.map(\.objectID)), looks: true) == [])
    }

    @Test func `a rollback shows a member where others have put it meanwhile`() throws {
        context.automaticallyMergesChangesFromParent = true
        let new = ShopModel.Category(in: context, name: "c")
        try context.save()
        let followed = try followCategories()
        products[0].category = categories[1]
        context.processPendingChanges()
        let sibling = container.newContext()
        try sibling.get(products[0].objectID, as: Product.self).category = sibling.get(new.objectID)
        try sibling.save()
        context.mergePending()
        let touched = Set((categories + [new]).map(\.objectID))
        #expect(try followed.faults(touched: touched, looks: true) == [])
        #expect(new.products.isEmpty)
        context.rollback()
        #expect(Array(new.products) == [products[0]])
        #expect(try followed.faults(touched: touched, looks: true) == [])
    }
}
