import Synchronization

/// Who wants to hear of something: each has a stream of its own.
final class StreamObservers<Element: Sendable>: Sendable {
    private struct Observers {
        var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
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

    func tell(_ element: Element) {
        let continuations = observers.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(element) }
    }

    deinit {
        for continuation in observers.withLock({ Array($0.continuations.values) }) {
            continuation.finish()
        }
    }
}
