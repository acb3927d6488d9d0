import Cambium
import ShopModel

/// Objects are handed to the children of a group.
@MainActor
func lengths(of products: [Product]) async -> Int {
    await withTaskGroup(of: Int.self) { group in
        for product in products {
            #if MISTAKE
                group.addTask { product.title.count }  // error: sending
            #else
                let title = product.title
                group.addTask { title.count }
            #endif
        }
        var sum = 0
        while let length = await group.next() { sum += length }
        return sum
    }
}
