import Synchronization

/// Which stores a coordinator has opened or let go of.
public struct StoresDidChange: Sendable {
    /// The stores that were added.
    public let added: [PersistentStore]
    /// The stores that were removed.
    public let removed: [PersistentStore]
    /// Where a store took the place of another one
    /// (``PersistentStoreCoordinator/migratePersistentStore(_:to:options:)``), the UUIDs of both:
    /// an object has the same entity and key in the new one.
    public let replacedIdentifiers: [UUID: UUID]

    init(
        added: [PersistentStore] = [], removed: [PersistentStore] = [],
        replacedIdentifiers: [UUID: UUID] = [:]
    ) {
        self.added = added
        self.removed = removed
        self.replacedIdentifiers = replacedIdentifiers
    }
}

/// Who wants to hear of stores that are added and removed.
final class StoreObservers: Sendable {
    private struct Observers {
        var continuations: [Int: AsyncStream<StoresDidChange>.Continuation] = [:]
        var next = 0
    }

    private let observers = Mutex(Observers())

    func makeStream() -> AsyncStream<StoresDidChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoresDidChange.self)
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

    func tell(_ change: StoresDidChange) {
        let continuations = observers.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(change) }
    }

    deinit {
        for continuation in observers.withLock({ Array($0.continuations.values) }) {
            continuation.finish()
        }
    }
}

extension PersistentStoreCoordinator {
    /// The stores that are added and removed from now on, one element for each time. The sequence
    /// ends with the coordinator.
    public var storeChanges: AsyncStream<StoresDidChange> { storeObservers.makeStream() }
}
