/// Which stores a coordinator has opened or let go of.
public struct StoresDidChange: Sendable {
    /// The stores that were added.
    public let added: [PersistentStore]
    /// The stores that were removed.
    public let removed: [PersistentStore]
    /// Where a store took the place of another one
    /// (``PersistentStoreCoordinator/migratePersistentStore(_:to:options:type:)``), the UUIDs of both:
    /// an object has the same entity and key in the new one.
    public let replacedIdentifiers: [UUID: UUID]
}

extension PersistentStoreCoordinator {
    /// Calls a handler whenever stores were added or removed, at once, on the thread that did it.
    /// The coordinator has them already, or no more; the handler may use it.
    ///
    /// - Returns: What keeps the observation going.
    public func observeStoreChanges(
        _ handler: @escaping @Sendable (StoresDidChange) -> Void
    ) -> ObservationToken {
        storeObservers.observe(handler)
    }

    /// The stores that are added and removed from now on, one element for each time. The sequence
    /// ends with the coordinator.
    public var storeChanges: AsyncStream<StoresDidChange> { storeObservers.makeStream() }
}
