import Cambium
import ShopModel

/// An object is returned from a background task.
@MainActor
func addCategory(to container: PersistentContainer) async throws -> Category? {
    #if MISTAKE
        return try await container.performBackgroundTask { context in  // error: Sendable
            Category(in: context, name: "Toys")
        }
    #else
        let id = try await container.performBackgroundTask { context in
            let category = Category(in: context, name: "Toys")
            try context.save()
            return category.objectID
        }
        return try container.viewContext.existingObject(with: id) as? Category
    #endif
}
