import Observation

/// Objects tell `withObservationTracking`, and so SwiftUI, of changes of the properties that were
/// read there: by setters, and by whatever else gives them other values (a merge, a refresh, undo,
/// a rollback). Properties are told apart, except where a whole row is replaced.
///
/// ```swift
/// withObservationTracking {
///     label.text = product.name
/// } onChange: {
///     Task { @MainActor in redraw() }
/// }
/// ```
///
/// Only objects of contexts whose ``ManagedObjectContext/objectsAreObservable`` is true do so. An
/// object that nobody observes keeps nothing for it.
extension ManagedObject: Observable {}

extension ManagedObject {
    /// Notes that a property is read, where somebody wants to hear of its changes.
    @usableFromInline
    final func noteRead(of slot: Int) {
        noteRead(of: .slot(slot))
    }

    final func noteRead(of property: ObservedProperty) {
        if let recorder = state.recorder { return recorder.note(property, of: self) }
        guard state.probe.isTracking else { return }
        let observation = extras?.observation ?? ObjectObservation()
        ownExtras.observation = observation
        observation.access(property, of: self)
    }

    /// Tells observers that a property is about to change.
    @usableFromInline
    final func notifyOfChange(of slot: Int) {
        notifyOfChange(of: .slot(slot))
    }

    final func notifyOfChange(of property: ObservedProperty) {
        extras?.observation?.change(property, of: self)
    }

    /// Tells observers that anything may have changed.
    final func notifyOfChanges() {
        extras?.observation?.changeAll(of: self)
    }

    /// What key paths of observed properties lead through; there is nothing to be had.
    subscript(observed property: ObservedProperty) -> Void { () }
}

/// What observers tell apart about an object.
enum ObservedProperty: Hashable, Sendable {
    /// An attribute, or a to-one relationship that the row keeps.
    case slot(Int)
    /// A relationship kept elsewhere, by number.
    case links(Int)
    /// Whether it is new, changed or deleted.
    case lifecycle
}
