// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Cambium
import Foundation

// Core Data's older names, so that ported code need not be changed. A file that imports Core Data
// too has to qualify them with the module.

extension Notification.Name {
    /// ``ManagedObjectContext/didChangeObjectsNotification``.
    public static let NSManagedObjectContextObjectsDidChange =
        ManagedObjectContext.didChangeObjectsNotification
    /// ``ManagedObjectContext/willSaveObjectsNotification``.
    public static let NSManagedObjectContextWillSave =
        ManagedObjectContext.willSaveObjectsNotification
    /// ``ManagedObjectContext/didSaveObjectsNotification``.
    public static let NSManagedObjectContextDidSave =
        ManagedObjectContext.didSaveObjectsNotification
    /// ``ManagedObjectContext/didSaveObjectIDsNotification``.
    public static let NSManagedObjectContextDidSaveObjectIDs =
        ManagedObjectContext.didSaveObjectIDsNotification
    /// ``ManagedObjectContext/didMergeChangesObjectIDsNotification``.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs =
        ManagedObjectContext.didMergeChangesObjectIDsNotification
    /// ``PersistentStoreCoordinator/storesDidChangeNotification``.
    public static let NSPersistentStoreCoordinatorStoresDidChange =
        PersistentStoreCoordinator.storesDidChangeNotification
    /// ``PersistentStoreCoordinator/remoteChangeNotification``.
    public static let NSPersistentStoreRemoteChange =
        PersistentStoreCoordinator.remoteChangeNotification
}

/// The key of ``ManagedObjectContext/NotificationKey/insertedObjects``.
public let NSInsertedObjectsKey = ManagedObjectContext.NotificationKey.insertedObjects.rawValue
/// The key of ``ManagedObjectContext/NotificationKey/updatedObjects``.
public let NSUpdatedObjectsKey = ManagedObjectContext.NotificationKey.updatedObjects.rawValue
/// The key of ``ManagedObjectContext/NotificationKey/deletedObjects``.
public let NSDeletedObjectsKey = ManagedObjectContext.NotificationKey.deletedObjects.rawValue
/// The key of ``ManagedObjectContext/NotificationKey/refreshedObjects``.
public let NSRefreshedObjectsKey = ManagedObjectContext.NotificationKey.refreshedObjects.rawValue
/// The key of ``ManagedObjectContext/NotificationKey/invalidatedObjects``.
public let NSInvalidatedObjectsKey =
    ManagedObjectContext.NotificationKey.invalidatedObjects.rawValue
/// The key of ``ManagedObjectContext/NotificationKey/invalidatedAllObjects``.
public let NSInvalidatedAllObjectsKey =
    ManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue
/// The key of ``PersistentStoreCoordinator/NotificationKey/addedPersistentStores``.
public let NSAddedPersistentStoresKey =
    PersistentStoreCoordinator.NotificationKey.addedPersistentStores.rawValue
/// The key of ``PersistentStoreCoordinator/NotificationKey/removedPersistentStores``.
public let NSRemovedPersistentStoresKey =
    PersistentStoreCoordinator.NotificationKey.removedPersistentStores.rawValue
/// The key of ``PersistentStoreCoordinator/NotificationKey/changedUUIDs``.
public let NSUUIDChangedPersistentStoresKey =
    PersistentStoreCoordinator.NotificationKey.changedUUIDs.rawValue
