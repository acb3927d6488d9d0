import Cambium
import Foundation

// Notifications of coordinators, for code written for Core Data: `observeStoreChanges(_:)` and
// `observeRemoteChanges(_:)` are typed.
extension PersistentStoreCoordinator {
    /// Posted when stores were added, removed or replaced; Core Data's
    /// `NSPersistentStoreCoordinatorStoresDidChange`.
    public static let storesDidChangeNotification = Notification.Name(
        "CambiumCoordinatorStoresDidChange")
    /// Posted when another coordinator or program has written to a store that follows remote
    /// changes; Core Data's
    /// `NSPersistentStoreRemoteChange`.
    public static let remoteChangeNotification = Notification.Name("CambiumStoreRemoteChange")

    /// The keys in a notification's `userInfo`, with `rawValue` as the key. A kind without values
    /// has no entry.
    public enum NotificationKey: String, Sendable, CaseIterable {
        /// The stores that were added, an array.
        case addedPersistentStores = "added"
        /// The stores that were removed, an array.
        case removedPersistentStores = "removed"
        /// If a store has replaced another one: the UUID of the new store, by the UUID of the old.
        case changedUUIDs
        /// The UUID of the store that has changed.
        case storeUUID = "NSStoreUUID"
        /// The end of its history, a ``HistoryToken``.
        case historyToken
    }

    /// Posts this coordinator's notifications, with the coordinator as their object, until the
    /// tokens are released. They are posted synchronously. Notifications about stores are posted on
    /// the thread that adds or removes a store. Notifications about writes of other programs are
    /// posted on a thread of the coordinator.
    ///
    /// - Parameter center: The notification center. Default: the default center.
    /// - Returns: The tokens. Keep them for as long as you want notifications.
    public func postNotifications(
        to center: NotificationCenter = .default
    ) -> [ObservationToken] {
        // The coordinator holds the handlers, so they do not hold it.
        [
            observeStoreChanges { [weak self] in
                self?.post(Self.storesDidChangeNotification, $0.userInfo, to: center)
            },
            observeRemoteChanges { [weak self] in
                self?.post(Self.remoteChangeNotification, $0.userInfo, to: center)
            },
        ]
    }

    private func post(
        _ name: Notification.Name, _ userInfo: [NotificationKey: Any], to center: NotificationCenter
    ) {
        let pairs = userInfo.map { (AnyHashable($0.key.rawValue), $0.value) }
        center.post(
            name: name, object: self, userInfo: Dictionary(uniqueKeysWithValues: pairs))
    }
}
