import CambiumRecords

extension PersistentStoreCoordinator {
    /// A coordinator with the same stores, whose contexts have settings: each of their transactions
    /// begins with them. ``PersistentContainer/applying(transactionSettings:)`` says what that means.
    ///
    /// Stores that are added to one of the two, or removed from it, are added to both, or removed from
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

/// A coordinator that others keep.
final class WeakCoordinator: Sendable {
    weak let coordinator: PersistentStoreCoordinator?

    init(_ coordinator: PersistentStoreCoordinator) {
        self.coordinator = coordinator
    }
}
