import Dispatch
import Synchronization

/// Makes elements on a thread of its own, a few ahead of the one who takes them.
final class ReadAhead<Element: Sendable>: Sendable {
    private typealias Made = Result<Element?, any Error>

    private struct State {
        /// What nobody has taken yet.
        var made: [Made] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "cambium.read-ahead")
    /// Counts the elements that there is room for.
    private let room = DispatchSemaphore(value: 0)
    /// Counts those that nobody has taken yet.
    private let ready = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - count: So many elements are made before one is taken.
    ///   - make: Makes the next one, on the thread; nil, or an error, is the last.
    init(_ count: Int, _ make: @escaping @Sendable () throws -> Element?) {
        for _ in 0..<count { room.signal() }
        queue.async { [self] in
            var isAtEnd = false
            while !isAtEnd {
                room.wait()
                if state.withLock(\.isStopped) { return }
                let made = Result { try make() }
                isAtEnd = Self.isLast(made)
                state.withLock { $0.made.append(made) }
                ready.signal()
            }
        }
    }

    /// Waits for the next element; nil after the last one.
    func next() throws -> Element? {
        ready.wait()
        let (made, isLast) = state.withLock { state in
            // The end stays, for who asks again.
            let isLast = Self.isLast(state.made[0])
            return (isLast ? state.made[0] : state.made.removeFirst(), isLast)
        }
        (isLast ? ready : room).signal()
        return try made.get()
    }

    /// Waits until the thread has ended: it makes no more elements than the one that it is at.
    func stop() {
        state.withLock { $0.isStopped = true }
        room.signal()
        queue.sync {}
    }

    private static func isLast(_ made: Made) -> Bool {
        if case .success(.some) = made { false } else { true }
    }
}
