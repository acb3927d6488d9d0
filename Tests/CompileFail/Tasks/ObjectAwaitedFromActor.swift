import Cambium
import ShopModel

/// An object of an actor's context is read by whoever asks.
actor Catalogue {
    private let context: ManagedObjectContext

    init(_ container: PersistentContainer) {
        context = container.newContext(isolation: nil)
    }

    func cheapest() throws -> Product? {
        try context.fetch(Product.fetchRequest().sorted(by: Product.price).limit(1)).first
    }

    func cheapestTitle() throws -> String? {
        try cheapest()?.title
    }
}

func printCheapest(of catalogue: Catalogue) async throws {
    #if MISTAKE
        print(try await catalogue.cheapest()?.title ?? "")  // error: Product
    #else
        print(try await catalogue.cheapestTitle() ?? "")
    #endif
}
