extension ManagedObjectContext {
    /// Whether `withObservationTracking`, and so SwiftUI, hears of changes of the context's
    /// objects. Default: true for contexts of the main actor, false for others.
    ///
    /// Where it is true, each read of a property asks whether somebody is observing, which takes
    /// a few nanoseconds. An object needs memory for it only once it is observed.
    public var objectsAreObservable: Bool {
        get { state.notesReads }
        set {
            guard newValue != state.notesReads else { return }
            state.notesReads = newValue
            for root in objects { root.map.forEach { $0.notesReads = newValue } }
        }
    }
}

extension ObjectChanges {
    /// Tells those who observe the objects: anything about them may have changed.
    func tellObjects() {
        for object in inserted { object.tellOfChanges() }
        for update in updated { update.object.tellOfChanges() }
        for object in deleted { object.tellOfChanges() }
    }
}
