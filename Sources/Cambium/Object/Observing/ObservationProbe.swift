import Observation

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
