import Cambium
import ShopModel

/// A context is kept where every thread can reach it.
enum Contexts {
    #if MISTAKE
        static let shared: ManagedObjectContext? = nil  // error: not concurrency-safe
    #else
        @MainActor static var shared: ManagedObjectContext?
    #endif
}
