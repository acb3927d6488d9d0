import Cambium
import ShopModel

extension Product {
    /// An object captures itself in a task.
    func announce() {
        #if MISTAKE
            Task { print(title) }  // error: sending
        #else
            let title = title
            Task { print(title) }
        #endif
    }
}
