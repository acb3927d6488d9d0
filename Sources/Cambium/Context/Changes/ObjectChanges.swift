import CambiumSQLite

/// What changed in a context, as its controllers and observers are told.
///
/// Several saves of other contexts may be told at once; then an object can be named more than once,
/// and is as it was left by the last of them.
struct ObjectChanges {
    /// An object that was changed.
    struct Update {
        let object: ManagedObject
        /// The slots that may have other values now; nil means any.
        let slots: SlotSet?
        /// Whether a relationship changed that is kept elsewhere than in the object's row.
        let changesLinks: Bool
    }

    /// A row that another context inserted or changed and that this context has no object for.
    struct UnregisteredRow {
        /// The number of the row's entity.
        let entity: Int
        let key: Int64
        /// The row, where it came along.
        var placed: PlacedRecord?
        /// The slots that were set; nil for a new row.
        var slots: SlotSet?
    }

    var inserted: [ManagedObject] = []
    var updated: [Update] = []
    var deleted: [ManagedObject] = []
    /// Rows of the entities that the context's observers watch.
    var unregistered: [UnregisteredRow] = []
    /// The numbers of the entities that lost rows which this context has no objects for.
    var entitiesThatLostRows: Set<Int> = []
    /// Whether these are all changes; if not, anything may have changed.
    var isComplete = true

    var isEmpty: Bool {
        isComplete && inserted.isEmpty && updated.isEmpty && deleted.isEmpty && unregistered.isEmpty
            && entitiesThatLostRows.isEmpty
    }
}

/// Whoever wants to know what changes in a context, in the context's isolation.
protocol ContextObserver: AnyObject {
    /// The numbers of the entities whose rows matter even where the context has no object for them.
    var watchedEntities: Set<Int> { get }

    func contextDidChange(_ changes: ObjectChanges)

    /// The context forgot all its objects.
    func contextWasReset()
}

struct WeakObserver {
    weak var observer: (any ContextObserver)?
}

extension ManagedObjectContext {
    func addObserver(_ observer: any ContextObserver) {
        guard !observers.contains(where: { $0.observer === observer }) else { return }
        observers.removeAll { $0.observer == nil }
        observers.append(WeakObserver(observer: observer))
    }

    func removeObserver(_ observer: any ContextObserver) {
        observers.removeAll { $0.observer == nil || $0.observer === observer }
    }

    func notifyObservers(_ changes: ObjectChanges) {
        guard !changes.isEmpty else { return }
        for case let observer? in observers.map(\.observer) { observer.contextDidChange(changes) }
        observers.removeAll { $0.observer == nil }
    }

    /// The entities that any observer watches; all where somebody wants to know of every object.
    var watchedEntities: Set<Int> {
        if observations?.wantsChanges == true { return Set(coordinator.model.entities.indices) }
        return observers.reduce(into: []) { $0.formUnion($1.observer?.watchedEntities ?? []) }
    }
}
