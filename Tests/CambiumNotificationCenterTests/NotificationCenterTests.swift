import Cambium
import CambiumNotificationCenter
import EverythingModel
import Foundation
import Testing

/// Notifications for code that was written for Core Data.
struct NotificationCenterTests {
    private typealias Key = ManagedObjectContext.NotificationKey

    /// Keeps what a center posted.
    // Safety: each test makes its own, and posts and reads on one thread.
    private final class Receiver: @unchecked Sendable {
        var notifications: [Notification] = []
        private let center: NotificationCenter
        private var tokens: [any NSObjectProtocol] = []

        init(_ center: NotificationCenter, _ names: [Notification.Name]) {
            self.center = center
            tokens = names.map { name in
                center.addObserver(forName: name, object: nil, queue: nil) { [unowned self] in
                    notifications.append($0)
                }
            }
        }

        deinit {
            for token in tokens { center.removeObserver(token) }
        }
    }

    private func withContext(
        _ names: [Notification.Name],
        _ body: (PersistentContainer, ManagedObjectContext, Receiver) throws -> Void
    ) throws {
        let container = try PersistentContainer(model: Everything.model, at: .memory)
        let context = container.newContext()
        let center = NotificationCenter()
        let receiver = Receiver(center, names)
        let tokens = context.postNotifications(to: center)
        try body(container, context, receiver)
        withExtendedLifetime(tokens) {}
    }

    @Test func `a save posts all notifications in order`() throws {
        let names = [
            ManagedObjectContext.didChangeObjectsNotification,
            ManagedObjectContext.willSaveObjectsNotification,
            ManagedObjectContext.didSaveObjectsNotification,
            ManagedObjectContext.didSaveObjectIDsNotification,
        ]
        try withContext(names) { _, context, receiver in
            let node = Node(in: context)
            try context.save()
            #expect(receiver.notifications.map(\.name) == names)
            #expect(receiver.notifications.allSatisfy { $0.object as AnyObject? === context })
            let infos = receiver.notifications.map(\.userInfo)
            let inserted = Key.insertedObjects.rawValue
            #expect(infos[0]?[inserted] as? Set<ManagedObject> == [node])
            #expect(infos[1] == nil)
            #expect(infos[2]?[inserted] as? Set<ManagedObject> == [node])
            #expect(infos[2]?[Key.updatedObjects.rawValue] == nil)
            #expect(
                infos[3]?[Key.insertedObjectIDs.rawValue] as? Set<ObjectID> == [node.objectID])
        }
    }

    @Test func `a sibling merges what a notification of a save brings`() throws {
        try withContext(
            [ManagedObjectContext.didSaveObjectsNotification]
        ) { container, context, receiver in
            let other = container.newContext()
            let node = Node(in: context, label: "old")
            try context.save()
            let same = try other.existingObject(with: node.objectID, as: Node.self)
            node.label = "new"
            try context.save()
            #expect(same.label == "old")
            for notification in receiver.notifications {
                other.mergeChanges(fromContextDidSave: notification)
            }
            #expect(same.label == "new")
        }
    }

    @Test func `a merge posts what was refreshed, and the ids`() throws {
        try withContext([.NSManagedObjectContextDidSave]) { container, context, _ in
            let node = Node(in: context, label: "old")
            try context.save()
            let other = container.newContext()
            let same = try other.existingObject(with: node.objectID, as: Node.self)
            let center = NotificationCenter()
            let receiver = Receiver(
                center,
                [
                    .NSManagedObjectContextObjectsDidChange,
                    .NSManagedObjectContextDidMergeChangesObjectIDs,
                ])
            let tokens = other.postNotifications(to: center)
            node.label = "new"
            let new = Node(in: context)
            try context.save()
            other.mergePending()
            func info(_ name: Notification.Name) -> [AnyHashable: Any]? {
                receiver.notifications.last { $0.name == name }?.userInfo
            }
            let changes = info(ManagedObjectContext.didChangeObjectsNotification)
            #expect(changes?[NSRefreshedObjectsKey] as? Set<ManagedObject> == [same])
            let ids = info(ManagedObjectContext.didMergeChangesObjectIDsNotification)
            #expect(ids?[Key.insertedObjectIDs.rawValue] as? Set<ObjectID> == [new.objectID])
            #expect(ids?[Key.updatedObjectIDs.rawValue] as? Set<ObjectID> == [same.objectID])
            withExtendedLifetime(tokens) {}
        }
    }

    @Test func `objects whose rows are gone, and all of a reset context, are posted as invalid`()
        throws
    {
        try withContext([.NSManagedObjectContextObjectsDidChange]) { container, context, receiver in
            let node = Node(in: context)
            try context.save()
            let other = container.newContext()
            other.shouldDeleteInaccessibleFaults = true
            let fault = try #require(other.object(with: node.objectID) as? Node)
            let center = NotificationCenter()
            let others = Receiver(center, [.NSManagedObjectContextObjectsDidChange])
            let tokens = other.postNotifications(to: center)
            context.delete(node)
            try context.save()
            _ = fault.label
            other.processPendingChanges()
            #expect(
                others.notifications.last?.userInfo?[NSInvalidatedObjectsKey]
                    as? Set<ManagedObject> == [fault])
            context.reset()
            let info = receiver.notifications.last?.userInfo
            #expect(info?[NSInvalidatedAllObjectsKey] as? Bool == true)
            withExtendedLifetime(tokens) {}
        }
    }

    @Test func `Core Data's keys are those of the notifications`() {
        #expect(NSInsertedObjectsKey == "inserted" && NSUpdatedObjectsKey == "updated")
        #expect(NSDeletedObjectsKey == "deleted" && NSRefreshedObjectsKey == "refreshed")
        #expect(NSInvalidatedObjectsKey == "invalidated")
        #expect(NSInvalidatedAllObjectsKey == "invalidatedAll")
        #expect(
            [
                NSAddedPersistentStoresKey, NSRemovedPersistentStoresKey,
                NSUUIDChangedPersistentStoresKey,
            ] == ["added", "removed", "changedUUIDs"])
        #expect(
            Notification.Name.NSManagedObjectContextWillSave
                == ManagedObjectContext.willSaveObjectsNotification)
        #expect(
            Notification.Name.NSManagedObjectContextDidSaveObjectIDs
                == ManagedObjectContext.didSaveObjectIDsNotification)
        #expect(
            Notification.Name.NSPersistentStoreCoordinatorStoresDidChange
                == PersistentStoreCoordinator.storesDidChangeNotification)
    }

    @Test func `nothing is posted when the tokens are gone`() throws {
        let container = try PersistentContainer(model: Everything.model, at: .memory)
        let context = container.newContext()
        let center = NotificationCenter()
        let receiver = Receiver(center, [ManagedObjectContext.didChangeObjectsNotification])
        var tokens = context.postNotifications(to: center)
        #expect(tokens.count == 5)
        tokens = []
        _ = Node(in: context)
        context.processPendingChanges()
        #expect(receiver.notifications.isEmpty)
    }

    // MARK: Coordinators

    private typealias StoreKey = PersistentStoreCoordinator.NotificationKey

    @Test func `stores that are added, moved and removed are posted at once`() throws {
        let coordinator = PersistentStoreCoordinator(model: Everything.model)
        let center = NotificationCenter()
        let receiver = Receiver(center, [PersistentStoreCoordinator.storesDidChangeNotification])
        let tokens = coordinator.postNotifications(to: center)
        let store = try coordinator.addPersistentStore(at: .memory)
        let moved = try coordinator.migratePersistentStore(store, to: .memory)
        try coordinator.remove(moved)
        let notifications = receiver.notifications
        #expect(notifications.allSatisfy { $0.object as AnyObject? === coordinator })
        func stores(_ key: StoreKey) -> [[PersistentStore]?] {
            notifications.map { $0.userInfo?[key.rawValue] as? [PersistentStore] }
        }
        #expect(stores(.addedPersistentStores) == [[store], [moved], nil])
        #expect(stores(.removedPersistentStores) == [nil, [store], [moved]])
        let changed = notifications.map {
            $0.userInfo?[StoreKey.changedUUIDs.rawValue] as? [UUID: UUID]
        }
        #expect(changed == [nil, [store.identifier: moved.identifier], nil])
        withExtendedLifetime(tokens) {}
    }

    @Test(.timeLimit(.minutes(10)))
    func `what others write to the file is posted, with the place in the history`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = StoreLocation.file(folder.appending(path: "store.sqlite").path())
        var options = StoreOptions()
        options.followsRemoteChanges = true
        options.history = .properties
        let mine = try PersistentContainer(model: Everything.model, at: place, options: options)
        let theirs = try PersistentContainer(model: Everything.model, at: place)
        let center = NotificationCenter()
        let (told, continuation) = AsyncStream.makeStream(of: (UUID?, HistoryToken?).self)
        let observer = center.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: nil, queue: nil
        ) { notification in
            continuation.yield(
                (
                    notification.userInfo?[StoreKey.storeUUID.rawValue] as? UUID,
                    notification.userInfo?[StoreKey.historyToken.rawValue] as? HistoryToken
                ))
        }
        let tokens = mine.coordinator.postNotifications(to: center)
        let context = theirs.newContext()
        _ = Node(in: context)
        try context.save()
        for await (identifier, token) in told {
            #expect(identifier == mine.coordinator.persistentStores[0].identifier)
            #expect(try token == mine.coordinator.currentHistoryToken())
            break
        }
        center.removeObserver(observer)
        withExtendedLifetime(tokens) {}
    }
}
