import CambiumSQLite

/// The objects that changed in a context, as its controllers and observers are told.
struct ObjectChanges {
    var inserted: [ManagedObject] = []
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []
    /// Rows that another context inserted or changed and that this context has no object for: the
    /// entity's number and the key.
    var unregistered: [(entity: Int, row: PlacedRecord?, key: Int64)] = []

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && unregistered.isEmpty
    }
}

/// Whoever wants to know what changes in a context, in the context's isolation.
protocol ContextObserver: AnyObject {
    func contextDidChange(_ changes: ObjectChanges)
}

struct WeakObserver {
    weak var observer: (any ContextObserver)?
}

extension ManagedObjectContext {
    func addObserver(_ observer: any ContextObserver) {
        observers.removeAll { $0.observer == nil || $0.observer === observer }
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
}
