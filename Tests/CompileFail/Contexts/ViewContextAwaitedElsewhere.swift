import Cambium
import ShopModel

/// The main actor's context is fetched by another actor.
actor Counter {
    func countProducts(in container: PersistentContainer) async throws -> Int {
        #if MISTAKE
            let context = await container.viewContext  // error: ManagedObjectContext
            return try context.count(for: Product.fetchRequest())
        #else
            return try await MainActor.run {
                try container.viewContext.count(for: Product.fetchRequest())
            }
        #endif
    }
}
