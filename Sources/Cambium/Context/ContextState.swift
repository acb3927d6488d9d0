/// What objects know of their context. It outlives the context, so that an object that is left over
/// answers instead of touching freed memory.
final class ContextState {
    let coordinator: StoreCoordinator
    // Safety: the context sets it to nil in its `deinit`, and context and objects live in one
    // isolation. Unowned instead of weak because every access of a relationship goes through it.
    private(set) unowned(unsafe) var context: ManagedObjectContext?

    init(_ coordinator: StoreCoordinator) {
        self.coordinator = coordinator
    }

    func connect(to context: ManagedObjectContext?) {
        self.context = context
    }
}
