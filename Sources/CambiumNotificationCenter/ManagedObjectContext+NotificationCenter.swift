import Cambium
import Foundation

// Notifications of contexts under Core Data's names, for code that was written for Core Data. In
// new code, use `context.observe(_:_:)`, which is typed, cheaper, and needs no casts.
extension ManagedObjectContext {
    /// Posted when pending changes were processed or another context's save was merged.
    public static let didChangeObjectsNotification = Notification.Name(
        "CambiumContextObjectsDidChange")
    /// Posted at the beginning of a save that has something to write.
    public static let willSaveObjectsNotification = Notification.Name("CambiumContextWillSave")
    /// Posted when a save was committed, with the objects that were saved.
    public static let didSaveObjectsNotification = Notification.Name("CambiumContextDidSave")
    /// Posted after ``didSaveObjectsNotification``, with ids.
    public static let didSaveObjectIDsNotification = Notification.Name(
        "CambiumContextDidSaveObjectIDs")
    /// Posted when the saves of other contexts were merged, with ids.
    public static let didMergeChangesObjectIDsNotification = Notification.Name(
        "CambiumContextDidMergeChangesObjectIDs")

    /// The keys in a notification's `userInfo`, with `rawValue` as the key: a set of objects, a set
    /// of ids, or the value that the case names. A kind without objects has no entry.
    public enum NotificationKey: String, Sendable, CaseIterable {
        /// The new objects.
        case insertedObjects = "inserted"
        /// The changed objects.
        case updatedObjects = "updated"
        /// The deleted objects.
        case deletedObjects = "deleted"
        /// The objects that got values from the store.
        case refreshedObjects = "refreshed"
        /// The objects that turned out to have no row.
        case invalidatedObjects = "invalidated"
        /// Present, as true, when the context has forgotten all objects.
        case invalidatedAllObjects = "invalidatedAll"
        /// The ids of the new objects.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The ids of the changed objects.
        case updatedObjectIDs = "updated_objectIDs"
        /// The ids of the deleted objects.
        case deletedObjectIDs = "deleted_objectIDs"
        /// The ids of the objects that got values from the store.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// The change sets of a save, a `[ChangeSet]`: one for each store that was written.
        case changeSets
    }

    /// Posts this context's notifications, with the context as their object, until the tokens are
    /// released. They are posted synchronously, in the context's isolation.
    ///
    /// ```swift
    /// let tokens = context.postNotifications()
    /// NotificationCenter.default.addObserver(
    ///     forName: ManagedObjectContext.didSaveObjectsNotification, object: context, queue: nil
    /// ) { notification in … }
    /// ```
    ///
    /// - Parameter center: The notification center. Default: the default center.
    /// - Returns: The tokens. Keep them for as long as you want notifications.
    public func postNotifications(
        to center: NotificationCenter = .default
    ) -> [ObservationToken] {
        // The context holds the handlers, so they do not hold it.
        [
            observe(.objectsDidChange) { [weak self] in
                self?.post(Self.didChangeObjectsNotification, $0.userInfo, to: center)
            },
            observe(.willSave) { [weak self] in
                self?.post(Self.willSaveObjectsNotification, [:], to: center)
            },
            observe(.didSave) { [weak self] in
                self?.post(Self.didSaveObjectsNotification, $0.userInfo, to: center)
            },
            observe(.didSaveObjectIDs) { [weak self] in
                self?.post(Self.didSaveObjectIDsNotification, $0.userInfo, to: center)
            },
            observe(.didMergeChangesObjectIDs) { [weak self] in
                self?.post(Self.didMergeChangesObjectIDsNotification, $0.userInfo, to: center)
            },
        ]
    }

    private func post(
        _ name: Notification.Name, _ userInfo: [NotificationKey: Any], to center: NotificationCenter
    ) {
        let pairs = userInfo.map { (AnyHashable($0.key.rawValue), $0.value) }
        center.post(
            name: name, object: self,
            userInfo: pairs.isEmpty ? nil : Dictionary(uniqueKeysWithValues: pairs))
    }

    /// Merges the save of another context, from its ``didSaveObjectsNotification``. Any other
    /// notification changes nothing.
    ///
    /// It must be called in this context's isolation. If the other context has another one, send
    /// the notification's change sets, and merge these.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        let value = notification.userInfo?[NotificationKey.changeSets.rawValue]
        for changeSet in value as? [ChangeSet] ?? [] { mergeChanges(from: changeSet) }
    }
}
