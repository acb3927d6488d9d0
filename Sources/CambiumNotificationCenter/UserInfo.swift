import Cambium

// The contents of notifications, without empty kinds.

extension ObjectsDidChange {
    var userInfo: [ManagedObjectContext.NotificationKey: Any] {
        var info: [ManagedObjectContext.NotificationKey: Any] = [:]
        if !inserted.isEmpty { info[.insertedObjects] = inserted }
        if !updated.isEmpty { info[.updatedObjects] = updated }
        if !deleted.isEmpty { info[.deletedObjects] = deleted }
        if !refreshed.isEmpty { info[.refreshedObjects] = refreshed }
        if !invalidated.isEmpty { info[.invalidatedObjects] = invalidated }
        if invalidatedAll { info[.invalidatedAllObjects] = true }
        return info
    }
}

extension SavedObjects {
    var userInfo: [ManagedObjectContext.NotificationKey: Any] {
        var info: [ManagedObjectContext.NotificationKey: Any] = [:]
        if !inserted.isEmpty { info[.insertedObjects] = inserted }
        if !updated.isEmpty { info[.updatedObjects] = updated }
        if !deleted.isEmpty { info[.deletedObjects] = deleted }
        info[.changeSets] = changeSets
        return info
    }
}

extension ChangedObjectIDs {
    var userInfo: [ManagedObjectContext.NotificationKey: Any] {
        var info: [ManagedObjectContext.NotificationKey: Any] = [:]
        if !inserted.isEmpty { info[.insertedObjectIDs] = inserted }
        if !updated.isEmpty { info[.updatedObjectIDs] = updated }
        if !deleted.isEmpty { info[.deletedObjectIDs] = deleted }
        if !refreshed.isEmpty { info[.refreshedObjectIDs] = refreshed }
        return info
    }
}

extension StoresDidChange {
    var userInfo: [PersistentStoreCoordinator.NotificationKey: Any] {
        var info: [PersistentStoreCoordinator.NotificationKey: Any] = [:]
        if !added.isEmpty { info[.addedPersistentStores] = added }
        if !removed.isEmpty { info[.removedPersistentStores] = removed }
        if !replacedIdentifiers.isEmpty { info[.changedUUIDs] = replacedIdentifiers }
        return info
    }
}

extension RemoteStoreChange {
    var userInfo: [PersistentStoreCoordinator.NotificationKey: Any] {
        var info: [PersistentStoreCoordinator.NotificationKey: Any] = [.storeUUID: storeIdentifier]
        if let token { info[.historyToken] = token }
        return info
    }
}
