import Cambium
import ShopModel
import Testing

/// Rows that a view has already and has to show anew: moved ones, and those that were deleted and
/// inserted again.
struct RenewedRowTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let products: [Product]

    init() throws {
        container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        context.automaticallyMergesChangesFromParent = true
        products = (0..<2).map { Product(in: context, sku: "AB-\($0)", kind: .toy, price: 1) }
        try context.save()
        self.context = context
    }

    @Test func `a snapshot names a row that moves`() throws {
        let controller = FetchedResultsController(
            Product.fetchRequest().sorted(by: Product.title), in: context)
        try controller.performFetch()
        let delegate = LastSnapshot()
        controller.delegate = delegate
        products[0].title = "Z"
        context.processPendingChanges()
        #expect(delegate.snapshot?.itemIDs == [products[1], products[0]].map(\.objectID))
        #expect(delegate.snapshot?.reconfiguredItemIDs == [products[0].objectID])
    }

    /// Deletes the first product in one context and saves a change of it in another, which inserts it
    /// again.
    private func deleteAndInsertAgain(in deleting: ManagedObjectContext) throws {
        let sibling = container.newContext()
        sibling.mergePolicy = .objectTrump
        try sibling.get(products[0].objectID, as: Product.self).title = "theirs"
        deleting.delete(deleting.object(with: products[0].objectID))
        try deleting.save()
        try sibling.save()
    }

    @Test func `a snapshot names a row that was deleted and inserted again`() throws {
        let controller = FetchedResultsController(
            Product.fetchRequest().sorted(by: Product.sku), in: context)
        try controller.performFetch()
        let delegate = LastSnapshot()
        controller.delegate = delegate
        try deleteAndInsertAgain(in: container.newContext())
        context.mergePending()
        #expect(controller.fetchedObjects?.map(\.title) == ["theirs", "Untitled"])
        #expect(delegate.snapshot?.itemIDs == products.map(\.objectID))
        #expect(delegate.snapshot?.reconfiguredItemIDs == [products[0].objectID])
    }

    @Test func `an object that an undo brings back is found once, and its row when it goes`() throws
    {
        context.undoManager = ContextUndoManager()
        let request = Product.fetchRequest().sorted(by: Product.category.name, Product.sku)
        let controller = FetchedResultsController(request, in: context)
        let followed = try FollowedController(controller) { $0.title }
        try deleteAndInsertAgain(in: context)
        context.undo()
        #expect(products[0].isInserted)
        #expect(try context.fetch(request) == products)
        context.rollback()
        let found = try context.fetch(request)
        #expect(found.map(\.title) == ["theirs", "Untitled"])
        #expect(controller.fetchedObjects == found)
        let touched = Set(products.map(\.objectID))
        #expect(try followed.faults(touched: touched, looks: true) == [])
    }

    @Test func `what an undo brings back is found once also where nothing was merged`() throws {
        context.undoManager = ContextUndoManager()
        context.automaticallyMergesChangesFromParent = false
        try deleteAndInsertAgain(in: context)
        context.undo()
        #expect(products[0].isInserted)
        let request = Product.fetchRequest().sorted(by: Product.category.name, Product.sku)
        #expect(try context.fetch(request) == products)
    }

    @Test func `what an undo brings back is saved over the row that others inserted`() throws {
        context.undoManager = ContextUndoManager()
        for merges in [true, false] {
            context.automaticallyMergesChangesFromParent = merges
            products[0].stock = 7
            products[0].title = "mine"
            try context.save()
            try deleteAndInsertAgain(in: context)
            context.undo()
            try context.save()
            #expect(products[0].title == "mine" && !products[0].hasChanges)
            let saved = try container.newContext().existingObject(
                with: products[0].objectID, as: Product.self)
            #expect(saved.title == "mine" && saved.stock == 7)
        }
        context.mergePending()
        #expect(context.invariantFaults() == [])
    }

    @Test func `an insertion that is undone is told with its object, in batches, too`() throws {
        context.undoManager = ContextUndoManager()
        var request = Product.fetchRequest().sorted(by: Product.title)
        request.batchSize = 2
        let followed = try FollowedController(FetchedResultsController(request, in: context)) {
            $0.title
        }
        let new = Product(in: context, sku: "AB-3", kind: .toy, price: 1)
        new.title = "A"
        context.delete(products[0])
        context.processPendingChanges()
        let touched = Set((products + [new]).map(\.objectID))
        #expect(try followed.faults(touched: touched, looks: true) == [])
        context.undo()
        context.processPendingChanges()
        #expect(try followed.faults(touched: touched, looks: true) == [])
    }

    private final class LastSnapshot: FetchedResultsSnapshotDelegate {
        typealias Entity = Product

        private(set) var snapshot: FetchedResultsSnapshot?

        func controller(
            _ controller: FetchedResultsController<Product>,
            didChangeContentWith snapshot: FetchedResultsSnapshot
        ) {
            self.snapshot = snapshot
        }
    }
}
