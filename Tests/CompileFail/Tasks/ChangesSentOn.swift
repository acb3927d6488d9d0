import Cambium
import ShopModel

/// A difference of a list, which holds objects, is handed to another task.
@MainActor
func countChanges(of controller: FetchedResultsController<Product>) async {
    for await change in controller.changes {
        #if MISTAKE
            Task.detached { print(change.changes.count) }  // error: sending
        #else
            let count = change.changes.count
            Task.detached { print(count) }
        #endif
    }
}
