import Cambium
import ShopModel

/// A task that is detached from an actor uses the actor's context.
actor Autosaver {
    private let context: ManagedObjectContext

    init(_ container: PersistentContainer) {
        context = container.newContext(isolation: nil)
    }

    func saveSoon() -> Task<Void, any Error> {
        #if MISTAKE
            Task.detached { try self.context.save() }  // error: actor-isolated
        #else
            Task { try context.save() }
        #endif
    }
}
