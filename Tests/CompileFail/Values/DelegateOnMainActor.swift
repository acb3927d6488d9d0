import Cambium
import ShopModel

/// A delegate that belongs to the main actor: its conformance does too.
@MainActor
final class TableDelegate {
    var count = 0
}

#if MISTAKE
    extension TableDelegate: FetchedResultsControllerDelegate {  // error: main actor
        typealias Entity = Product

        func controllerDidChangeContent(_ controller: FetchedResultsController<Product>) {
            count = controller.fetchedObjects?.count ?? 0
        }
    }
#else
    extension TableDelegate: @MainActor FetchedResultsControllerDelegate {
        typealias Entity = Product

        func controllerDidChangeContent(_ controller: FetchedResultsController<Product>) {
            count = controller.fetchedObjects?.count ?? 0
        }
    }

    @MainActor
    func observe(_ controller: FetchedResultsController<Product>, with delegate: TableDelegate) {
        controller.delegate = delegate
    }
#endif
