import Cambium
import ShopModel

/// What a fetch found is returned from a background context.
func cheapTitles(in background: BackgroundContext) async throws -> [String] {
    #if MISTAKE
        let products = try await background.perform { context in  // error: Sendable
            try context.fetch(Product.fetchRequest().filter(Product.price < 5))
        }
        return products.map { $0.title }
    #else
        return try await background.perform { context in
            try context.fetch(Product.fetchRequest().filter(Product.price < 5)).map { $0.title }
        }
    #endif
}
