import ShopModel
import Testing

@testable import Cambium

/// Saves that write over rows which others have led elsewhere, deleted or inserted again: whoever
/// shows an object at either end of a link is told.
struct OverwrittenLinkTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let sibling: ManagedObjectContext
    private let categories: [ShopModel.Category]
    private let product: Product
    private let followed: FollowedController<ShopModel.Category>

    /// A product in the first of two categories, in a context whose list of categories shows how
    /// many products each has; a sibling that wins conflicts and does not merge.
    init() throws {
        container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        context.automaticallyMergesChangesFromParent = true
        categories = ["a", "b"].map { ShopModel.Category(in: context, name: $0) }
        product = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
        product.category = categories[0]
        try context.save()
        sibling = container.newContext()
        sibling.automaticallyMergesChangesFromParent = false
        sibling.mergePolicy = .objectTrump
        followed = try FollowedController(
            FetchedResultsController(ShopModel.Category.listed, in: context)
        ) { "\($0.name) \($0.products.count)" }
        self.context = context
    }

    private func requireTold() throws {
        context.mergePending()
        let touched = Set(categories.map(\.objectID))
        #expect(try followed.faults(touched: touched, looks: true) == [])
        #expect(context.invariantFaults() == [])
    }

    @Test func `a deletion of what others have moved tells the object that it was moved to`() throws
    {
        let theirs = try sibling.get(product.objectID, as: Product.self)
        _ = theirs.title
        product.category = categories[1]
        try context.save()
        try requireTold()
        context.refresh(product, mergeChanges: false)
        sibling.delete(theirs)
        try sibling.save()
        try requireTold()
        #expect(categories.map(\.products.count) == [0, 0])
    }

    @Test func `a move of what others have moved tells the object that it was moved to`() throws {
        let third = ShopModel.Category(in: context, name: "c")
        try context.save()
        let theirs = try sibling.get(product.objectID, as: Product.self)
        _ = theirs.title
        product.category = categories[1]
        try context.save()
        try requireTold()
        context.refresh(product, mergeChanges: false)
        theirs.category = try sibling.get(third.objectID, as: ShopModel.Category.self)
        try sibling.save()
        context.mergePending()
        let touched = Set((categories + [third]).map(\.objectID))
        #expect(try followed.faults(touched: touched, looks: true) == [])
        #expect(categories.map(\.products.count) == [0, 0] && third.products.count == 1)
    }

    @Test func `a row that is inserted again tells the object that it leads to`() throws {
        let theirs = try sibling.get(product.objectID, as: Product.self)
        _ = theirs.title
        context.delete(product)
        try context.save()
        try requireTold()
        theirs.title = "again"
        try sibling.save()
        try requireTold()
        #expect(categories.map(\.products.count) == [1, 0])
    }

    @Test func `a deletion tells an owner that was read after it`() throws {
        context.refresh(product, mergeChanges: false)
        sibling.propagatesDeletesAtEndOfEvent = false
        sibling.delete(try sibling.get(product.objectID, as: Product.self))
        sibling.processPendingChanges()
        let owners = try sibling.fetch(ShopModel.Category.fetchRequest())
        try sibling.save()
        try requireTold()
        #expect(categories.map(\.products.count) == [0, 0])
        #expect(owners.count == 2)
    }

    @Test func `an object that an undo has brought back has what others' row of it has`() throws {
        context.undoManager = ContextUndoManager()
        let theirs = try sibling.get(categories[1].objectID, as: ShopModel.Category.self)
        _ = theirs.name
        context.delete(categories[1])
        try context.save()
        theirs.name = "theirs"
        let moved = try sibling.get(product.objectID, as: Product.self)
        moved.category = theirs
        try sibling.save()
        context.undo()
        context.mergePending()
        #expect(categories[1].products.map(\.objectID) == [product.objectID])
        #expect(categories[1].name == "b" && !categories[1].isInserted && categories[1].isUpdated)
        try requireTold()
        context.rollback()
        #expect(categories[1].name == "theirs" && !categories[1].isDeleted)
        try requireTold()
    }
}
