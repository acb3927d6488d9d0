import Cambium
import ShopModel

/// An actor's context is declared free, so that another isolation could take it.
actor Factory {
    let container: PersistentContainer

    init(_ container: PersistentContainer) {
        self.container = container
    }

    #if MISTAKE
        func makeContext() -> sending ManagedObjectContext {
            container.newContext()
        }  // error: sending
    #else
        nonisolated func makeContext() -> sending ManagedObjectContext {
            container.newContext()
        }
    #endif
}
