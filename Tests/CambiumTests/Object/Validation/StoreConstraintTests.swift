import Cambium
import CambiumSQLite
import EverythingModel
import ShopModel
import Testing

/// What the store refuses comes as the same error as a failed validation.
struct StoreConstraintTests {
    @Test func `an outside writer is held to the checks of the schema`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
            let context = container.newContext()
            _ = Product(in: context, sku: "AB-1", kind: .toy, price: 10)
            try context.save()
            for change in [
                "price = -1", "stock = -1", "sku = 'A'", "\"salePrice\" = 1000", "sku = NULL",
            ] {
                #expect(throws: (any Error).self) {
                    try execute("UPDATE \"Product\" SET \(change)", in: path)
                }
            }
        }
    }
}
