@testable import Cambium
import CambiumCustomStores
import CambiumEngineSpecification
import CambiumSQLite
import EverythingModel
import FaultVFS
import Testing

/// What cannot be read keeps every save from succeeding: until it was read, or until the changes
/// that need it are taken back.
struct FailedReadTests {
    /// A store that does not let some entities be read, and a context that has read nothing.
    private final class Unreadable {
        let store = DictionaryStore()
        let container: PersistentContainer
        let context: ManagedObjectContext
        let node: ObjectID
        let box: ObjectID
        /// Objects do not keep their context.
        private var reader: ManagedObjectContext?

        init() throws {
            container = PersistentContainer(name: "Test", model: Everything.model)
            container.persistentStoreDescriptions = [
                StoreDescription(type: store.type, location: .temporary)
            ]
            container.loadPersistentStores { if let error = $1 { Issue.record(error) } }
            let writer = container.newContext()
            let box = Box(in: writer, name: "box")
            let topic = Topic(in: writer, name: "topic")
            let node = Node(in: writer, label: "node", number: 1)
            node.box = box
            node.tags.insert(topic)
            node.queue.append(topic)
            _ = Part(in: writer, name: "part", node: node)
            try writer.save()
            context = container.newContext()
            self.node = node.objectID
            self.box = box.objectID
            // What a cache has need not be read.
            container.coordinator.rowCache.removeAll()
        }

        /// Lets rows of these entities not be read, and all others.
        func refuse(_ names: String...) {
            store.contents.withLock { $0.unreadable = Set(names) }
        }

        /// The number of saves that the store has seen since it was filled.
        var saveCount: Int { store.contents.withLock { $0.saves.count - 1 } }

        /// The node as the store has it.
        func saved() throws -> Node {
            refuse()
            let context = container.newContext()
            reader = context
            return try context.existingObject(with: node, as: Node.self)
        }

        /// Expects that saves throw, however often they are called, and write nothing.
        func expectNoSave(in context: ManagedObjectContext? = nil) {
            for _ in 0..<3 {
                #expect(throws: DictionaryStore.Failure.self) {
                    try (context ?? self.context).save()
                }
            }
            #expect(saveCount == 0)
        }
    }

    @Test func `a getter that could not read keeps every save from succeeding`() throws {
        let world = try Unreadable()
        let node: Node = try world.context.get(world.node)
        _ = Box(in: world.context, name: "other")
        world.refuse("Node")
        #expect(node.label == "")
        #expect(node.number == 0)
        world.expectNoSave()
        world.refuse()
        try world.context.save()
        #expect(node.label == "node")
        #expect(world.saveCount == 1)
    }

    @Test func `an object whose row could not be read is read by the next getter`() throws {
        let world = try Unreadable()
        let node: Node = try world.context.get(world.node)
        world.refuse("Node")
        #expect(node.label == "")
        #expect(node.isFault && !node.isDeleted)
        world.refuse()
        #expect(node.label == "node")
        try world.context.save()
    }

    @Test func `a value that was set without its row is saved when the row was read`() throws {
        let world = try Unreadable()
        let node: Node = try world.context.get(world.node)
        world.refuse("Node")
        node.number = 0  // a placeholder's value, too
        #expect(node.isUpdated)
        world.expectNoSave()
        #expect(throws: DictionaryStore.Failure.self) {
            try world.context.existingObject(with: world.node)
        }
        world.refuse()
        try world.context.save()
        #expect(node.label == "node")
        let saved = try world.saved()
        #expect(saved.label == "node")
        #expect(saved.number == 0)
        #expect(saved.box?.objectID == world.box)
    }

    @Test func `a fetch reads the rows of what was changed without them`() throws {
        let world = try Unreadable()
        let node: Node = try world.context.get(world.node)
        world.refuse("Node")
        node.number = 5
        #expect(throws: DictionaryStore.Failure.self) {
            try world.context.fetch(Node.fetchRequest().filter(Node.label == "node"))
        }
        world.refuse()
        #expect(
            try world.context.fetch(Node.fetchRequest().filter(Node.label == "node")) == [node])
        #expect(node.label == "node" && node.number == 5)
        try world.context.save()
        #expect(try world.saved().number == 5)
    }

    @Test func `an object moves, though its former place could not be read`() throws {
        let world = try Unreadable()
        let box: Box = try world.context.get(world.box)
        let other = Box(in: world.context, name: "other")
        #expect(box.nodes.count == 1)
        let node: Node = try world.context.get(world.node)
        world.context.refresh(node, mergeChanges: false)
        world.container.coordinator.rowCache.removeAll()
        world.refuse("Node")
        node.box = other
        world.expectNoSave()
        world.refuse()
        try world.context.save()
        #expect(box.nodes.isEmpty)
        #expect(Array(other.nodes) == [node])
        #expect(try world.saved().box?.name == "other")
    }

    // MARK: Taking back

    enum TakingBack: CaseIterable {
        case rollback, reset, refresh, undo
    }

    @Test(arguments: TakingBack.allCases)
    func `what is taken back needs no row any more`(_ way: TakingBack) throws {
        let world = try Unreadable()
        let context = world.context
        context.undoManager = ContextUndoManager()
        let node: Node = try context.get(world.node)
        world.refuse("Node")
        node.label = "changed"
        context.processPendingChanges()
        world.expectNoSave()
        switch way {
        case .rollback: context.rollback()
        case .reset: context.reset()
        case .refresh: context.refresh(node, mergeChanges: false)
        case .undo: context.undo()
        }
        #expect(!context.hasChanges)
        _ = Box(in: context, name: "other")
        try context.save()
        #expect(world.saveCount == 1)
        world.refuse()
        #expect(way == .reset || node.label == "node")
        #expect(try world.saved().label == "node")
    }

    @Test func `an undo after the row was read restores no placeholder`() throws {
        let world = try Unreadable()
        let context = world.context
        context.undoManager = ContextUndoManager()
        let node: Node = try context.get(world.node)
        world.refuse("Node")
        node.label = "changed"
        context.processPendingChanges()
        node.number = 7
        context.processPendingChanges()
        world.refuse()
        try context.save()
        context.undo()
        context.undo()
        try context.save()
        #expect(try world.saved().label == "changed")
        #expect(try world.saved().number == 7)
    }

    @Test func `a reread that failed keeps the changes and is made by the save`() throws {
        let world = try Unreadable()
        let node = try world.context.existingObject(with: world.node, as: Node.self)
        node.number = 2
        world.refuse("Node")
        world.context.refresh(node, mergeChanges: true)
        world.expectNoSave()
        #expect(node.number == 2)
        world.refuse()
        try world.context.save()
        #expect(try world.saved().number == 2)
    }

    // MARK: Relationships

    @Test func `members that could not be read keep every save from succeeding`() throws {
        let world = try Unreadable()
        let box = try world.context.existingObject(with: world.box, as: Box.self)
        box.name = "changed"
        world.refuse("Node")
        #expect(box.nodes.isEmpty)
        world.expectNoSave()
        world.refuse()
        #expect(box.nodes.count == 1)
        try world.context.save()
    }

    @Test(arguments: [false, true])
    func `a list that was changed without its members is to be taken back`(
        isOrdered: Bool
    ) throws {
        let world = try Unreadable()
        let node = try world.context.existingObject(with: world.node, as: Node.self)
        world.refuse("Topic")
        if isOrdered { node.queue.removeAll() } else { node.tags.removeAll() }
        for isReadable in [false, true] {
            if isReadable {
                world.refuse()
                // They were not taken out, and reading them now does not change that.
                #expect((isOrdered ? node.queue.count : node.tags.count) == 1)
            }
            for _ in 0..<2 {
                let error = #expect(throws: StoreError.self) { try world.context.save() }
                #expect(error?.code == .unreadable)
            }
        }
        #expect(world.saveCount == 0)
        world.context.refresh(node, mergeChanges: false)
        if isOrdered { node.queue.removeAll() } else { node.tags.removeAll() }
        try world.context.save()
        let saved = try world.saved()
        #expect((isOrdered ? saved.queue.count : saved.tags.count) == 0)
    }

    @Test func `an undo takes out what was added to members that could not be read`() throws {
        let world = try Unreadable()
        let context = world.context
        context.undoManager = ContextUndoManager()
        let node = try context.existingObject(with: world.node, as: Node.self)
        let topic = Topic(in: context, name: "new")
        context.processPendingChanges()
        world.refuse("Topic")
        node.tags.insert(topic)
        context.processPendingChanges()
        world.refuse()
        #expect(node.tags.count == 2)
        context.undo()
        #expect(node.tags.map(\.name) == ["topic"])
        try context.save()
        #expect(try world.saved().tags.map(\.name) == ["topic"])
    }

    // MARK: Deletion

    @Test func `a deletion cascades to what could not be read at first`() throws {
        let world = try Unreadable()
        let node = try world.context.existingObject(with: world.node, as: Node.self)
        world.refuse("Part")
        world.context.delete(node)
        world.context.processPendingChanges()
        world.expectNoSave()
        world.refuse()
        try world.context.save()
        let reader = world.container.newContext()
        #expect(try reader.count(for: Node.fetchRequest()) == 0)
        #expect(try reader.count(for: Part.fetchRequest()) == 0)
    }

    @Test func `an object is deleted whose own row could not be read`() throws {
        let world = try Unreadable()
        let node: Node = try world.context.get(world.node)
        world.refuse("Node")
        node.label = "changed"
        world.context.delete(node)
        world.expectNoSave()
        #expect(node.isDeleted)
        world.refuse()
        try world.context.save()
        let reader = world.container.newContext()
        #expect(try reader.count(for: Node.fetchRequest()) == 0)
        #expect(try reader.count(for: Part.fetchRequest()) == 0)
    }

    @Test func `a deletion of what could not be read can be undone`() throws {
        let world = try Unreadable()
        world.context.undoManager = ContextUndoManager()
        let node: Node = try world.context.get(world.node)
        world.refuse("Node", "Part")
        world.context.delete(node)
        world.context.processPendingChanges()
        world.context.undo()
        #expect(!node.isDeleted && !world.context.hasChanges)
        try world.context.save()
        world.refuse()
        #expect(node.label == "node" && node.parts.count == 1)
    }

    @Test func `a row that is gone when it is read at last is an error once`() throws {
        let world = try Unreadable()
        let node: Node = try world.context.get(world.node)
        world.refuse("Node")
        node.label = "changed"
        world.expectNoSave()
        world.refuse()
        world.store.contents.withLock { contents in
            contents.nodes["Node"] = [:]
            contents.nodes["Part"] = [:]
        }
        let error = #expect(throws: StoreError.self) { try world.context.save() }
        #expect(error?.code == .missingRow)
        try world.context.save()
        #expect(node.isDeleted)
    }

    @Test(
        .onSQLite("It is about files that cannot be read."),
        arguments: [MergePolicy.error, .storeTrump], ["box", "tags"])
    func `the policy decides about links to what was deleted before it could be read`(
        _ policy: MergePolicy, _ name: String
    ) throws {
        try #require(fault_vfs_register() == 0)
        defer { fault_vfs_disarm() }
        try withStoreFile { path in
            let container = try container(at: path)
            let writer = container.newContext()
            let (node, box, topic) = (Node(in: writer), Box(in: writer), Topic(in: writer))
            try writer.save()
            let context = container.newContext()
            context.mergePolicy = policy
            let same: Node = try context.get(node.objectID)
            let lost: ManagedObject = context.object(with: (name == "box" ? box : topic).objectID)
            if let lost = lost as? Topic { same.tags.insert(lost) } else { same.box = lost as? Box }
            #expect(lost.isFault)
            fault_vfs_arm(1, FaultUnreadable)
            #expect(try lost.value(forKey: "name") == .string(""))
            for _ in 0..<3 { #expect(throws: StoreError.self) { try context.save() } }
            fault_vfs_disarm()
            writer.delete(name == "box" ? box : topic)
            try writer.save()
            if policy == .error {
                for _ in 0..<3 { #expect(throws: (any Error).self) { try context.save() } }
                #expect(same.box == lost || same.tags.contains { $0 == lost })
                same.box = nil
                if let lost = lost as? Topic { same.tags.remove(lost) }
            }
            try context.save()
            #expect(same.box == nil && same.tags.isEmpty && !context.hasChanges)
        }
    }

    /// A store in a file whose reads can be made to fail.
    private func container(at path: String) throws -> PersistentContainer {
        var options = StoreOptions()
        options.fileSystem = String(cString: fault_vfs_name())
        return try PersistentContainer(
            model: Everything.model, at: .temporary(path), options: options)
    }

    // MARK: Other contexts

    @Test func `a change by another context is not lost where it could not be read`() throws {
        let world = try Unreadable()
        let parent = world.context
        let child = parent.newChildContext()
        child.automaticallyMergesChangesFromParent = true
        let same: Node = try child.get(world.node)
        world.refuse("Node")
        same.label = "changed"
        world.expectNoSave(in: child)
        #expect(throws: DictionaryStore.Failure.self) { try child.existingObject(with: world.node) }
        world.refuse()
        try child.save()
        let node: Node = try parent.get(world.node)
        #expect(node.label == "changed" && node.number == 1)
        try parent.save()
        #expect(try world.saved().number == 1)
    }

    @Test func `a child reads no placeholders of its parent`() throws {
        let world = try Unreadable()
        let node: Node = try world.context.get(world.node)
        world.refuse("Node")
        node.number = 9
        let child = world.context.newChildContext()
        #expect(throws: DictionaryStore.Failure.self) { try child.existingObject(with: world.node) }
        world.refuse()
        let same = try child.existingObject(with: world.node, as: Node.self)
        #expect(same.label == "node" && same.number == 9)
        try child.save()
        try world.context.save()
        #expect(try world.saved().number == 9)
    }

    @Test func `a child sees no empty list where its parent could not read the members`() throws {
        let world = try Unreadable()
        let child = world.context.newChildContext()
        let box = try child.existingObject(with: world.box, as: Box.self)
        world.refuse("Node")
        #expect(box.nodes.isEmpty)
        child.delete(box)
        world.expectNoSave(in: child)
        world.refuse()
        try child.save()
        try world.context.save()
        #expect(try world.saved().box == nil)
    }

    @Test func `what another context has saved comes over what was set without the row`() throws {
        let world = try Unreadable()
        world.context.automaticallyMergesChangesFromParent = true
        let node: Node = try world.context.get(world.node)
        world.refuse("Node")
        node.label = "ours"
        world.refuse()
        let other = world.container.newContext()
        try other.existingObject(with: world.node, as: Node.self).number = 8
        try other.save()
        world.context.mergePending()
        #expect(node.label == "ours" && node.number == 8)
        try world.context.save()
        #expect(try world.saved().label == "ours")
    }

    @Test func `a hook that could not read keeps the save from succeeding`() throws {
        let world = try Unreadable()
        let watched = Watched(in: world.context)
        let node: Node = try world.context.get(world.node)
        watched.onWillSave = { $0.name = node.label }
        world.refuse("Node")
        world.expectNoSave()
        #expect(watched.name == "")
        world.refuse()
        try world.context.save()
        #expect(watched.name == "node")
    }

    @Test func `an object without a key is not saved, and can be given up`() throws {
        let world = try Unreadable()
        world.store.contents.withLock { $0.refusesKeys = true }
        let box = Box(in: world.context, name: "no key")
        world.expectNoSave()
        world.store.contents.withLock { $0.refusesKeys = false }
        world.expectNoSave()
        world.context.delete(box)
        _ = Box(in: world.context, name: "key")
        try world.context.save()
        let names = try world.container.newContext().fetch(Box.fetchRequest()).map(\.name)
        #expect(Set(names) == ["box", "key"])
    }

    @Test func `what was read of a store that is removed is an error once`() throws {
        let world = try Unreadable()
        let node: Node = try world.context.get(world.node)
        let coordinator = world.container.coordinator
        try coordinator.remove(coordinator.persistentStores[0])
        #expect(node.label == "")
        let error = #expect(throws: StoreError.self) { try world.context.save() }
        #expect(error?.code == .noStore)
        try world.context.save()
    }

    // MARK: What else

    @Test func `a handler hears of a failed read once, and no save succeeds all the same`() throws {
        let world = try Unreadable()
        var heard: [ObjectID] = []
        world.context.onInaccessibleFault = { id, _ in heard.append(id) }
        let node: Node = try world.context.get(world.node)
        world.refuse("Node")
        _ = node.label
        _ = node.number
        #expect(heard == [world.node])
        world.expectNoSave()
    }

    @Test func `a batch of a list that could not be read is read when it can be`() throws {
        let world = try Unreadable()
        let list = try world.context.fetchInBatches(Node.fetchRequest())
        world.refuse("Node")
        #expect(list[0].label == "")
        world.expectNoSave()
        world.refuse()
        #expect(list[0].label == "node")
        try world.context.save()
    }

    @Test func `a primitive value that could not be set is to be taken back`() throws {
        let world = try Unreadable()
        let node: Node = try world.context.get(world.node)
        world.refuse("Node")
        try node.setPrimitiveValue(.int(5), forKey: "number")
        world.refuse()
        #expect(node.number == 1)
        let error = #expect(throws: StoreError.self) { try world.context.save() }
        #expect(error?.code == .unreadable)
        world.context.refresh(node, mergeChanges: false)
        try world.context.save()
    }

    @Test(.onSQLite("It is about files that cannot be read."))
    func `reads of a file fail, and its writes do not`() throws {
        try #require(fault_vfs_register() == 0)
        defer { fault_vfs_disarm() }
        try withStoreFile { path in
            let container = try container(at: path)
            let writer = container.newContext()
            let node = Node(in: writer, label: "node", number: 1)
            try writer.save()
            let context = container.newContext()
            let same: Node = try context.get(node.objectID)
            fault_vfs_arm(1, FaultUnreadable)
            same.label = "changed"
            _ = Box(in: context, name: "other")
            for _ in 0..<3 { #expect(throws: StoreError.self) { try context.save() } }
            fault_vfs_disarm()
            #expect(try container.newContext().count(for: Box.fetchRequest()) == 0)
            try context.save()
            let read = try container.newContext().existingObject(with: node.objectID, as: Node.self)
            #expect(read.label == "changed" && read.number == 1)
        }
    }
}
