import CambiumRecords

extension PersistentStoreCoordinator {
    /// Returns a coordinator with the same stores for contexts with transaction settings: each of
    /// their transactions begins with these settings. See
    /// ``PersistentContainer/applying(transactionSettings:)``.
    ///
    /// If a store is added to one of the two coordinators, or removed from it, this applies to
    /// both.
    public func applying(transactionSettings: TransactionSettings) -> PersistentStoreCoordinator {
        let settings = self.transactionSettings.merging(transactionSettings)
        let base = base ?? self
        if settings.isEmpty { return base }
        return base.views.withLock { views in
            if let view = views[settings]?.coordinator { return view }
            views = views.filter { $0.value.coordinator != nil }
            let view = PersistentStoreCoordinator(of: base, settings)
            views[settings] = WeakCoordinator(view)
            return view
        }
    }
}

/// A weak reference to a coordinator.
final class WeakCoordinator: Sendable {
    weak let coordinator: PersistentStoreCoordinator?

    init(_ coordinator: PersistentStoreCoordinator) {
        self.coordinator = coordinator
    }
}
