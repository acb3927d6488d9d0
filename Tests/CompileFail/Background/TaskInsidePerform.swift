import Cambium
import ShopModel

/// A background context outlives the closure that it was lent to.
func saveTwice(_ container: PersistentContainer) async throws {
    try await container.performBackgroundTask { context in
        try context.save()
        #if MISTAKE
            Task { try context.save() }  // error: sending
        #endif
    }
}
