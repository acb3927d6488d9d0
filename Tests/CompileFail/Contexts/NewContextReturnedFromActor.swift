import Cambium
import ShopModel

/// A context made on an actor is used on the main actor.
actor Maker {
    let container: PersistentContainer

    init(_ container: PersistentContainer) {
        self.container = container
    }

    func makeContext() -> ManagedObjectContext {
        container.newContext()
    }

    func countProducts() throws -> Int {
        try makeContext().count(for: Product.fetchRequest())
    }
}

@MainActor
func countProducts(with maker: Maker) async throws -> Int {
    #if MISTAKE
        let context = await maker.makeContext()  // error: ManagedObjectContext
        return try context.count(for: Product.fetchRequest())
    #else
        return try await maker.countProducts()
    #endif
}
