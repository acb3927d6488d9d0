import Cambium
import EverythingModel
import Testing

/// A delegate that belongs to the main actor, in the spelling that every Swift 6 reads.
@MainActor
struct DelegateOnMainActorTests {
    @MainActor
    private final class CountingDelegate: @preconcurrency FetchedResultsControllerDelegate {
        typealias Entity = Node

        private(set) var counts: [Int] = []

        func controllerDidChangeContent(_ controller: FetchedResultsController<Node>) {
            counts.append(controller.fetchedObjects?.count ?? 0)
        }
    }

    @Test func `a class of the main actor is told`() throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let context = container.viewContext
        let controller = FetchedResultsController(
            Node.fetchRequest().sorted(by: Node.label), in: context)
        try controller.performFetch()
        let delegate = CountingDelegate()
        controller.delegate = delegate
        for _ in 0..<2 {
            _ = Node(in: context)
            context.processPendingChanges()
        }
        #expect(delegate.counts == [1, 2])
    }
}
