import Cambium
import ShopModel

/// A context that belongs to no actor yet may be sent away, but is not used here any more.
func insertCategory(in container: PersistentContainer) throws {
    let context = container.newContext()
    let category = Category(in: context, name: "Books")
    #if MISTAKE
        Task.detached { try context.save() }  // error: sending
    #else
        try context.save()
    #endif
    category.name = "Toys"
}
