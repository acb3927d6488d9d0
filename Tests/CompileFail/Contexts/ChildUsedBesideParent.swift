import Cambium
import ShopModel

/// A child is sent away while its parent is used here.
func insertCategories(in container: PersistentContainer) throws {
    let parent = container.newContext()
    let child = parent.newChildContext()
    _ = Category(in: child, name: "Books")
    #if MISTAKE
        Task.detached { try child.save() }  // error: sending
    #else
        try child.save()
    #endif
    try parent.save()
}
