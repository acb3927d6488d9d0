import Cambium
import ShopModel

/// The live view of a to-many relationship is returned from a background context.
func productCount(of category: ObjectID, in background: BackgroundContext) async throws -> Int {
    #if MISTAKE
        let products = try await background.perform { context in  // error: Sendable
            (try context.existingObject(with: category) as? Category)?.products
        }
        return products?.count ?? 0
    #else
        return try await background.perform { context in
            (try context.existingObject(with: category) as? Category)?.products.count ?? 0
        }
    #endif
}
