import Observation

/// Objects support `withObservationTracking`, and so SwiftUI. They notify of changes of the
/// properties that were read there, by setters and by anything else that changes values: merge,
/// refresh, undo, rollback. Changes are reported for each property, except if a complete row is
/// replaced.
///
/// ```swift
/// withObservationTracking {
///     label.text = product.title
/// } onChange: {
///     Task { @MainActor in redraw() }
/// }
/// ```
///
/// This works for objects of contexts with ``ManagedObjectContext/objectsAreObservable``. An object
/// without observers needs no memory for observation.
extension ManagedObject: Observable {}

extension ManagedObject {
    /// Records that a property is read, if observation tracking is active.
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

    /// Notifies observers that a property is about to change.
    @usableFromInline
    final func notifyOfChange(of slot: Int) {
        notifyOfChange(of: .slot(slot))
    }

    final func notifyOfChange(of property: ObservedProperty) {
        extras?.observation?.change(property, of: self)
    }

    /// Notifies observers that any property may have changed.
    final func notifyOfChanges() {
        extras?.observation?.changeAll(of: self)
    }

    /// The end of key paths to observed properties; it has no value.
    subscript(observed property: ObservedProperty) -> Void { () }
}

/// A property of an object that observers can observe.
enum ObservedProperty: Hashable, Sendable {
    /// An attribute, or a to-one relationship with a column in the row.
    case slot(Int)
    /// A relationship without a column in the row, by its ordinal.
    case links(Int)
    /// Whether the object is new, changed or deleted.
    case lifecycle
}

/// The observers of one object, and the properties that they observe.
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

    /// Observers are notified before the value changes, and read it after that.
    private func change(_ path: KeyPath<ManagedObject, Void>, of object: ManagedObject) {
        registrar.withMutation(of: object, keyPath: path) {}
    }
}

/// Tests whether the current reads are inside `withObservationTracking`, so that objects without
/// observers need no registrar.
///
/// The standard library has no function for this. But it collects the key paths of the reads in a
/// set, and a set hashes its elements. So if this probe's key path is hashed, tracking is active.
/// The value at the key path never changes.
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

/// Records the properties of an object that are read. A key path of a `#Predicate` finds its
/// property in this way, without a table in the generated code.
///
/// It replaces a context: the objects have sample values and reference sample objects, and no store
/// is read.
final class PropertyRecorder {
    /// The properties of the object itself that were read.
    private(set) var reads: Set<ObservedProperty> = []
    /// Whether a property of another object was read.
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

    /// Returns the object for a sample key, the same one at each call.
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
