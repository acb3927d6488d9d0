import Cambium
import ShopModel

/// An object is sent through a stream to whoever reads it.
@MainActor
func stream(_ product: Product) -> AsyncStream<ObjectID> {
    #if MISTAKE
        let (objects, sender) = AsyncStream.makeStream(of: Product.self)
        sender.yield(product)  // error: sending
        withExtendedLifetime(objects) {}
    #endif
    let (ids, continuation) = AsyncStream.makeStream(of: ObjectID.self)
    continuation.yield(product.objectID)
    return ids
}
