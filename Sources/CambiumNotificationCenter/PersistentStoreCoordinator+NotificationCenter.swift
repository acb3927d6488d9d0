import Cambium
import Foundation

// Notifications of coordinators, for code written for Core Data: `observeStoreChanges(_:)` and
// `observeRemoteChanges(_:)` are typed.
extension PersistentStoreCoordinator {
    /// Posted when stores were added, removed, or put in each other's place; Core Data's
    /// `NSPersistentStoreCoordinatorStoresDidChange`.
    public static let storesDidChangeNotification = Notification.Name(
        "CambiumCoordinatorStoresDidChange")
    /// Posted when others have written to the file of a store that is followed; Core Data's
    /// `NSPersistentStoreRemoteChange`.
    public static let remoteChangeNotification = Notification.Name("CambiumStoreRemoteChange")

    /// What a notification's `userInfo` has under `rawValue`. What there is none of is left out.
    public enum NotificationKey: String, Sendable, CaseIterable {
        /// The stores that were added, an array.
        case addedPersistentStores = "added"
        /// The stores that were removed, an array.
        case removedPersistentStores = "removed"
        /// Where a store took the place of another one, the UUIDs of both, by the former one's.
        case changedUUIDs
        /// The UUID of the store that others have written to.
        case storeUUID = "NSStoreUUID"
        /// The end of its history, a ``HistoryToken``.
        case historyToken
    }

    /// Posts this coordinator's notifications, with the coordinator as their object, from now on
    /// until the tokens go. They are posted at once: those about stores on the thread that adds or
    /// removes one, those about others on a thread of the coordinator's.
    ///
    /// - Parameter center: Where they are posted. Default: the default center.
    /// - Returns: What keeps it going.
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
