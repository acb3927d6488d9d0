import Cambium
import ShopModel

/// The changes of a main actor's list are read in a task of its own.
@MainActor
func follow(_ controller: FetchedResultsController<Product>) -> Task<Void, Never> {
    #if MISTAKE
        return Task.detached {  // error: sending
            for await change in controller.changes { print(change) }
        }
    #else
        return Task {
            for await change in controller.changes { print(change) }
        }
    #endif
}
