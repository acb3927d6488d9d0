import Synchronization

/// Keeps an observation going: it ends when the token is let go of, or when ``cancel()`` is called,
/// whichever comes first and in whatever isolation.
///
/// It does not keep the context, or the coordinator, alive.
public final class ObservationToken: Sendable {
    private let flag: CancellationFlag

    init(_ flag: CancellationFlag) {
        self.flag = flag
    }

    /// Ends the observation. Calling it again does nothing.
    public func cancel() {
        flag.set()
    }

    deinit {
        flag.set()
    }
}

/// Says that a handler is not to be called any more. The handler itself stays where it is (that of
/// a context in the context's isolation) until who calls it sorts it out: tokens may go anywhere.
final class CancellationFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() {
        value.store(true, ordering: .releasing)
    }
}
