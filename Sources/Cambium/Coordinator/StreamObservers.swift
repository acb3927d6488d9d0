import Synchronization

/// Who wants to hear of something: by a handler that is called at once, or by a stream.
final class StreamObservers<Element: Sendable>: Sendable {
    private struct Observers {
        var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
        /// In the order in which they came.
        var handlers: [(flag: CancellationFlag, handle: @Sendable (Element) -> Void)] = []
        var next = 0
    }

    private let observers = Mutex(Observers())

    func makeStream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        let number = observers.withLock { observers in
            defer { observers.next += 1 }
            observers.continuations[observers.next] = continuation
            return observers.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.observers.withLock { $0.continuations[number] = nil }
        }
        return stream
    }

    func observe(_ handle: @escaping @Sendable (Element) -> Void) -> ObservationToken {
        let flag = CancellationFlag()
        observers.withLock { $0.handlers.append((flag, handle)) }
        return ObservationToken(flag)
    }

    /// Calls the handlers, one after the other on this thread, and leaves the element to the
    /// streams. No lock is held meanwhile: a handler may observe, cancel and change what it hears of.
    func tell(_ element: Element) {
        let (handlers, continuations) = observers.withLock { observers in
            observers.handlers.removeAll { $0.flag.isSet }
            return (observers.handlers, Array(observers.continuations.values))
        }
        for handler in handlers where !handler.flag.isSet { handler.handle(element) }
        for continuation in continuations { continuation.yield(element) }
    }

    deinit {
        for continuation in observers.withLock({ Array($0.continuations.values) }) {
            continuation.finish()
        }
    }
}
