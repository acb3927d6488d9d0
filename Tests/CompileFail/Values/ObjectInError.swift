import Cambium
import ShopModel

/// An error carries an object out of a background task.
struct PriceMissing: Error {
    #if MISTAKE
        let product: Product  // error: Product
    #else
        let product: ObjectID
    #endif
}
