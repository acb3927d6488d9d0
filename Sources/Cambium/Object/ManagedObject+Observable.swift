import Observation

/// Objects tell `withObservationTracking`, and so SwiftUI, of changes of the properties that were
/// read there: by setters, and by whatever else gives them other values (a merge, a refresh, undo,
/// a rollback). Properties are told apart, except where a whole row is replaced.
///
/// ```swift
/// withObservationTracking {
///     label.text = product.title
/// } onChange: {
///     Task { @MainActor in redraw() }
/// }
/// ```
///
/// Only objects of contexts whose ``ManagedObjectContext/objectsAreObservable`` is true do so. An
/// object that nobody observes keeps nothing for it.
extension ManagedObject: Observable {}

extension ManagedObject {
    /// Notes that a property is read, where somebody observes its changes.
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

/// Who observes one object, and what of it.
final class ObjectObservation {
    private let registrar = ObservationRegistrar()
    private var paths = [ObservedProperty: KeyPath<ManagedObject, Void>]()

    func access(_ property: ObservedProperty, of object: ManagedObject) {
        let path = paths[property] ?? \ManagedObject.[observed: property]
        paths[property] = path
        registrar.access(object, keyPath: path)
    }

    @inline(never)
    func change(_ property: ObservedProperty, of object: ManagedObject) {
        guard let path = paths[property] else { return }
        change(path, of: object)
    }

    func changeAll(of object: ManagedObject) {
        for path in paths.values { change(path, of: object) }
    }

    /// Observers that are told hear that the value will change, and look at it when it has.
    private func change(_ path: KeyPath<ManagedObject, Void>, of object: ManagedObject) {
        registrar.withMutation(of: object, keyPath: path) {}
    }
}

/// Tells whether what is read now is read inside of `withObservationTracking`, so that objects
/// which nobody observes need no registrar.
///
/// The library does not say so, but it collects the key paths that are read there in a set, and a
/// set hashes what it takes in: the hash of this one's key path is the answer. The key path leads
/// to nothing that ever changes.
final class ObservationProbe: Observable {
    private let registrar = ObservationRegistrar()
    private let signal: Signal
    private let path: KeyPath<ObservationProbe, Void>

    init() {
        let signal = Signal()
        self.signal = signal
        path = \ObservationProbe.[signal: signal]
    }

    var isTracking: Bool {
        signal.wasHashed = false
        registrar.access(self, keyPath: path)
        return signal.wasHashed
    }

    private subscript(signal signal: Signal) -> Void { () }

    private final class Signal: Hashable {
        var wasHashed = false

        static func == (one: Signal, other: Signal) -> Bool { one === other }

        func hash(into hasher: inout Hasher) {
            wasHashed = true
            hasher.combine(ObjectIdentifier(self))
        }
    }
}

/// Notes which properties of an object are read: that is how a key path of a `#Predicate` finds its
/// property without a table in the generated code.
///
/// It stands in the place of a context: the objects have made-up values and lead to made-up
/// objects, and no store is asked for anything.
final class PropertyRecorder {
    /// What was read of the object itself.
    private(set) var reads: Set<ObservedProperty> = []
    /// Whether anything was read of another object.
    private(set) var hasReadElsewhere = false

    private let subject: ObjectIdentifier
    private let state: ContextState
    private var destinations = [Int64: ManagedObject]()

    init(of subject: ManagedObject) {
        self.subject = ObjectIdentifier(subject)
        state = subject.state
    }

    func note(_ property: ObservedProperty, of object: ManagedObject) {
        if ObjectIdentifier(object) == subject {
            reads.insert(property)
        } else {
            hasReadElsewhere = true
        }
    }

    /// The object that a made-up key references, the same one at each call.
    @inline(never)
    func destination(entity: Int, key: Int64) -> ManagedObject {
        if let known = destinations[key] { return known }
        let description = state.coordinator.model.entities[entity]
        let made = description.objectClass.init(
            ObjectRegistration(
                state: state, entity: description, key: key, placed: description.template,
                lifecycle: .clean))
        destinations[key] = made
        return made
    }
}
