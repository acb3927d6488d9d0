import Cambium
import ShopModel

/// An object of the main actor's context is changed in a background context.
@MainActor
func raisePrice(of product: Product, in container: PersistentContainer) async throws {
    #if MISTAKE
        try await container.performBackgroundTask { context in
            product.price += 1  // error: product
            try context.save()
        }
    #else
        let id = product.objectID
        try await container.performBackgroundTask { context in
            (try context.existingObject(with: id) as? Product)?.price += 1
            try context.save()
        }
    #endif
}
