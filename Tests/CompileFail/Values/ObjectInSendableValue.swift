import Cambium
import ShopModel

/// A value that says it may be sent holds an object.
struct Row: Sendable {
    #if MISTAKE
        let product: Product  // error: Product
    #else
        let product: ObjectID
    #endif
}
