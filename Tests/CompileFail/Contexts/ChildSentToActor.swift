import Cambium
import ShopModel

/// A child belongs to the isolation of its parent.
actor Editor {
    private let context: ManagedObjectContext

    init(_ context: sending ManagedObjectContext) {
        self.context = context
    }

    init(_ container: PersistentContainer) {
        context = container.newContext(isolation: nil).newChildContext()
    }
}

@MainActor
func makeEditor(_ container: PersistentContainer) -> Editor {
    #if MISTAKE
        let child = container.viewContext.newChildContext()
        return Editor(child)  // error: sending
    #else
        return Editor(container)
    #endif
}
