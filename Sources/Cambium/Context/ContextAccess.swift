/// Who works with the parts of a context: the context itself, and the operations, values that are made
/// for one piece of work.
protocol ContextAccess {
    /// The context.
    var context: ManagedObjectContext { get }
}

extension ContextAccess {
    /// The coordinator of the context.
    var coordinator: PersistentStoreCoordinator { context.coordinator }
    /// The parent of a child.
    var parent: ManagedObjectContext? { context.parent }
    /// What objects know of the context.
    var state: ContextState { context.state }
    /// The part that knows the objects.
    var registry: ObjectRegistry { context.registry }
    /// The part that knows the unsaved changes.
    var changes: PendingChanges { context.changes }
    /// The part that knows what was merged.
    var merges: MergeState { context.merges }
    /// The part that knows the children.
    var family: FamilyLink { context.family }
    /// The part that knows who is to be notified.
    var observers: ObserverHub { context.observers }
    /// The part that reads.
    var reads: ReadingState { context.reads }
    /// The part that knows what the next save throws.
    var errors: RecordedErrors { context.errors }
    /// The part that knows the current event.
    var activity: ContextActivity { context.activity }

    /// Fetches objects.
    var fetching: Fetching { Fetching(context: context) }
    /// Reads what relationships lead to.
    var prefetching: Prefetch { Prefetch(context: context) }
    /// Reads the rows of faults.
    var faulting: Faulting { Faulting(context: context) }
    /// Reads the far ends of relationships.
    var linkReading: LinkReading { LinkReading(context: context) }
    /// Follows the delete rules.
    var deleteRules: DeleteRules { DeleteRules(context: context) }
    /// Defers merges, and catches up.
    var deferredMerges: DeferredMerges { DeferredMerges(context: context) }
    /// Merges the rows that others have saved.
    var rowMerging: RowMerging { RowMerging(context: context) }
    /// Knows the lists that differ from the store.
    var divergentLists: DivergentLists { DivergentLists(context: context) }
    /// Knows the objects that were merged into others.
    var replacements: Replacements { Replacements(context: context) }
    /// Lets deleted objects live again.
    var revival: Revival { Revival(context: context) }
}

extension ManagedObjectContext: ContextAccess {
    /// The context itself.
    var context: ManagedObjectContext { self }
}
