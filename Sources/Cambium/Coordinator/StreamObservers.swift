import Synchronization

/// Who observes something: by a handler that is called at once, or by a stream.
final class StreamObservers<Element: Sendable>: Sendable {
    /// Adds an element to those that an observer has not taken yet.
    typealias Joining = @Sendable (_ waiting: inout [Element], _ element: Element) -> Void

    private struct Observers {
        var all: [Int: Observer] = [:]
        /// In the order in which they came.
        var handlers: [(flag: CancellationFlag, handle: @Sendable (Element) -> Void)] = []
        var next = 0
    }

    private let observers = Mutex(Observers())
    private let join: Joining

    /// - Parameter join: What becomes of elements that nobody has taken yet; the default keeps each
    ///   of them.
    init(joining join: @escaping Joining = { $0.append($1) }) {
        self.join = join
    }

    /// What is told from now on. It ends with the observers.
    func makeStream() -> AsyncStream<Element> {
        // The elements wait with the observer; the inner stream says that there are some.
        let (wakeups, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let observer = Observer(continuation)
        let number = observers.withLock { observers in
            defer { observers.next += 1 }
            observers.all[observers.next] = observer
            return observers.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.observers.withLock { $0.all[number] = nil }
        }
        return AsyncStream(unfolding: {
            if let element = observer.take() { return element }
            for await _ in wakeups {
                if let element = observer.take() { return element }
            }
            return observer.take()
        })
    }

    func observe(_ handle: @escaping @Sendable (Element) -> Void) -> ObservationToken {
        let flag = CancellationFlag()
        observers.withLock { $0.handlers.append((flag, handle)) }
        return ObservationToken(flag)
    }

    /// Calls the handlers, one after the other on this thread, and leaves the element to the
    /// streams. No lock is held meanwhile: a handler may observe, cancel and change what it is
    /// notified of.
    func send(_ element: Element) {
        // Those that were cancelled are released here too, not under the lock: with them may go
        // objects of the program, which then run code of their own.
        let (handlers, observers) = observers.withLock { observers in
            let handlers = observers.handlers
            observers.handlers.removeAll { $0.flag.isSet }
            return (handlers, Array(observers.all.values))
        }
        for handler in handlers where !handler.flag.isSet { handler.handle(element) }
        for observer in observers { observer.send(element, join) }
    }

    deinit {
        for observer in observers.withLock({ Array($0.all.values) }) { observer.finish() }
    }

    /// What one of them has not taken yet.
    private final class Observer: Sendable {
        private let waiting = Mutex<[Element]>([])
        private let wakeup: AsyncStream<Void>.Continuation

        init(_ wakeup: AsyncStream<Void>.Continuation) {
            self.wakeup = wakeup
        }

        func send(_ element: Element, _ join: Joining) {
            waiting.withLock { join(&$0, element) }
            wakeup.yield()
        }

        func take() -> Element? {
            waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }

        func finish() { wakeup.finish() }
    }
}

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
