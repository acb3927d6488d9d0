import Cambium
import ShopModel

/// The main actor's context is used in a background task.
func saveAll(_ container: PersistentContainer) async throws {
    try await container.performBackgroundTask { context in
        try context.save()
        #if MISTAKE
            try container.viewContext.save()  // error: main actor-isolated
        #endif
    }
    try await MainActor.run { try container.viewContext.save() }
}
