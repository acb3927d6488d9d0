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
}
