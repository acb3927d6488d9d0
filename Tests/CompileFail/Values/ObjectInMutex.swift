import Cambium
import ShopModel
import Synchronization

/// An object is put behind a lock, which does not make its context safe.
@MainActor
func keep(_ product: Product) -> some Sendable {
    #if MISTAKE
        KeptObject(product)
    #else
        KeptID(product.objectID)
    #endif
}

#if MISTAKE
    final class KeptObject: Sendable {
        private let object: Mutex<Product>

        init(_ product: Product) {
            object = Mutex(product)  // error: sending
        }
    }
#else
    final class KeptID: Sendable {
        private let id: Mutex<ObjectID>

        init(_ id: ObjectID) {
            self.id = Mutex(id)
        }
    }
#endif
