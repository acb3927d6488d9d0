import Cambium
import ShopModel

/// A context made on the main actor is kept by an actor.
actor Keeper {
    private let context: ManagedObjectContext

    init(_ context: sending ManagedObjectContext) {
        self.context = context
    }

    init(_ container: PersistentContainer) {
        context = container.newContext(isolation: nil)
    }
}

@MainActor
func makeKeeper(_ container: PersistentContainer) -> Keeper {
    #if MISTAKE
        let context = container.newContext()
        return Keeper(context)  // error: sending
    #else
        return Keeper(container)
    #endif
}
