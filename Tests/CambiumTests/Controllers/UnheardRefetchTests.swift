import Cambium
import EverythingModel
import Testing

struct UnheardRefetchTests {
    private final class Listener: FetchedResultsControllerDelegate {
        typealias Entity = Node
    }

    @Test func `who begins to listen after a refetch hears of what changed since`() throws {
        try withContainer(Everything.model, on: .current) { container in
            let context = container.newContext()
            let controller = FetchedResultsController(
                Node.fetchRequest().sorted(by: Node.number), in: context)
            try controller.performFetch()
            for count in 1...3 {
                _ = Node(in: context, label: "\(count)")
                context.processPendingChanges()
                try controller.refetch()
                #expect(controller.fetchedObjects?.count == count)
            }
            _ = Node(in: context, label: "unheard")
            context.processPendingChanges()
            let listener = Listener()
            controller.delegate = listener
            #expect(controller.fetchedObjects?.count == 4)
        }
    }
}
