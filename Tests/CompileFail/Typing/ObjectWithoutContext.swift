import Cambium
import ShopModel

/// An object is made without a context.
func makeCategory(in context: ManagedObjectContext) -> Category {
    #if MISTAKE
        Category()  // error: argument
    #else
        Category(in: context, name: "Books")
    #endif
}
