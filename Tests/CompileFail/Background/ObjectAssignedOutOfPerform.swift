import Cambium
import ShopModel

/// An object is carried out of a background context in a variable.
func firstTitle(in container: PersistentContainer) async throws -> String? {
    #if MISTAKE
        var found: Product?
        try await container.performBackgroundTask { context in
            found = try context.fetch(Product.fetchRequest()).first  // error: found
        }
        return found?.title
    #else
        return try await container.performBackgroundTask { context in
            try context.fetch(Product.fetchRequest()).first?.title
        }
    #endif
}
