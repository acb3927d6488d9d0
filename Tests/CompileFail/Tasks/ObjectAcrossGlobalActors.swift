import Cambium
import ShopModel

@globalActor
actor ReportActor {
    static let shared = ReportActor()
}

@ReportActor
func report(_ products: [Product]) {}

@ReportActor
func report(_ condition: Condition<Product>) {}

/// Objects go from one global actor to another. A condition may: it is a value.
@MainActor
func reportCheapProducts(in context: ManagedObjectContext) async throws {
    let cheap = Product.price < 5
    #if MISTAKE
        let products = try context.fetch(Product.fetchRequest().filter(cheap))
        await report(products)  // error: sending
    #else
        await report(cheap)
    #endif
}
