import Cambium
import ShopModel

/// A new context is merged into the state of one actor and then sent to another.
actor Importer {
    private var objects: [ManagedObject] = []
    let container: PersistentContainer

    init(_ container: PersistentContainer) {
        self.container = container
    }

    func begin() -> Task<Void, any Error>? {
        let context = container.newContext()
        objects.append(Category(in: context, name: "Books"))
        #if MISTAKE
            return Task.detached { try context.save() }  // error: sending
        #else
            return Task { try objects.first?.managedObjectContext?.save() }
        #endif
    }
}
