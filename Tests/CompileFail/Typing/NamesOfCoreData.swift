import Cambium
import ShopModel

/// Names that Core Data has are told what they are called here.
func openShop() throws -> (StoreDescription, FetchRequest<Product>) {
    #if MISTAKE
        let description = StoreDescription(type: .inMemory)  // error: renamed to 'memory'
        _ = try PersistentContainer(model: Shop.model, at: .inMemory)  // error: renamed to 'memory'
        var request = Product.fetchRequest()
        request.fetchOffset = 2  // error: renamed to 'offset'
        request.fetchBatchSize = 2  // error: renamed to 'batchSize'
        return (description, request)
    #else
        let description = StoreDescription(type: .memory)
        _ = try PersistentContainer(model: Shop.model, at: .memory)
        var request = Product.fetchRequest()
        request.fetchLimit = 2
        request.offset = 2
        request.batchSize = 2
        return (description, request)
    #endif
}
