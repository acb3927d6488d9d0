import Cambium
import ShopModel

func use(_ context: sending ManagedObjectContext) async {
    _ = context.hasChanges
}

@MainActor
func sends(_ coordinator: PersistentStoreCoordinator) async {
    let context = coordinator.newContext()
    context.name = "main"
    #if MISTAKE
        await use(context)  // error: sending
    #endif
    _ = context.hasChanges
}
