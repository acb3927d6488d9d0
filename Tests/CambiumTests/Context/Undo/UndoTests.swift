import Cambium
import EverythingModel
import Testing

private typealias Node = Seen<EverythingModel.Node>
private typealias Box = Seen<EverythingModel.Box>
private typealias Topic = Seen<EverythingModel.Topic>
private typealias Part = Seen<EverythingModel.Part>

/// Taking changes back, and doing them again.
@Suite(.bothKinds) struct UndoTests {
    private func withUndo(
        _ model: CompiledModel = ObjectKind.current.everything,
        _ body: (PersistentContainer, ManagedObjectContext, ContextUndoManager) throws -> Void
    ) throws {
        try withContainer(model) { container in
            let context = container.newContext()
            let manager = ContextUndoManager()
            context.undoManager = manager
            try body(container, context, manager)
        }
    }

    @Test func `a context has no undo manager, and undoing does nothing`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "a")
            #expect(context.undoManager == nil)
            context.undo()
            context.redo()
            #expect(node.label == "a")
        }
    }

    @Test func `who came and went with a deleted object does not come back with it`() throws {
        try withUndo { container, context, _ in
            let node = Node(in: context)
            try context.save()
            // All in one event.
            _ = Part(in: context, node: node)
            let topic = Topic(in: context)
            node.tags.insert(topic)
            node.queue.append(topic)
            context.delete(node)
            context.delete(topic)
            context.undo()
            #expect(!node.isDeleted)
            #expect(node.parts.isEmpty && node.tags.isEmpty && node.queue.isEmpty)
            #expect(context.invariantFaults() == [])
            try context.save()
            try #expect(container.newContext().countSeen(Part.fetchRequest()) == 0)
        }
    }

    @Test func `a link to what is deleted in the same event is undone on both sides`() throws {
        try withUndo { _, context, _ in
            let (node, topic, box) = (Node(in: context), Topic(in: context), Box(in: context))
            try context.save()
            node.tags.insert(topic)
            node.queue.append(topic)
            node.box = box
            context.delete(topic)
            context.delete(box)
            context.undo()
            #expect(!topic.isDeleted && !box.isDeleted)
            #expect(node.tags.isEmpty && node.queue.isEmpty && node.box == nil)
            #expect(topic.nodes.isEmpty && topic.waiting.isEmpty && box.nodes.isEmpty)
            #expect(context.invariantFaults() == [])
        }
    }

    @Test func `the values of an event are undone and redone together`() throws {
        try withUndo { _, context, manager in
            let node = Node(in: context, label: "first", number: 1)
            let other = Node(in: context, label: "other")
            try context.save()
            node.label = "second"
            node.number = 2
            other.label = "changed"
            context.processPendingChanges()
            node.label = "third"
            context.processPendingChanges()

            context.undo()
            #expect(node.label == "second")
            context.undo()
            #expect((node.label, node.number, other.label) == ("first", 1, "other"))
            #expect(!context.hasChanges)
            context.redo()
            #expect((node.label, node.number, other.label) == ("second", 2, "changed"))
            context.redo()
            #expect(node.label == "third")
            #expect(!manager.canRedo)
            try context.save()
        }
    }

    @Test func `what was not processed yet is undone first`() throws {
        try withUndo { _, context, manager in
            let node = Node(in: context, label: "first")
            context.processPendingChanges()
            node.label = "second"
            #expect(manager.canUndo)
            context.undo()
            #expect(node.label == "first")
            #expect(node.isInserted)
        }
    }

    @Test func `a new change forgets what could be redone`() throws {
        try withUndo { _, context, manager in
            let node = Node(in: context, label: "first")
            context.processPendingChanges()
            node.label = "second"
            context.undo()
            #expect(manager.canRedo)
            node.number = 5
            context.processPendingChanges()
            #expect(!manager.canRedo)
        }
    }

    @Test(arguments: [false, true])
    func `rule 13: an insertion is undone and redone, and awakes only once`(_ saves: Bool) throws {
        try withUndo(Everything.model) { container, context, manager in
            let box = Box(in: context)
            try context.save()
            manager.removeAllActions()
            let watched = Watched(in: context, name: "kept")
            let node = Node(in: context, label: "new", box: box)
            context.processPendingChanges()
            if saves { try context.save() }

            context.undo()
            #expect(watched.managedObjectContext == nil || watched.isDeleted)
            #expect(box.nodes.isEmpty)
            #expect(watched.snapshotEvents == [.undoInsertion])
            if saves {
                #expect(context.deletedObjects == [watched, node.object])
                try context.save()
            } else {
                #expect(!context.hasChanges)
            }
            #expect(try container.newContext().countSeen(Node.fetchRequest()) == 0)

            context.redo()
            #expect(watched.isInserted)
            #expect(watched.name == "kept")
            #expect(node.box === box && Array(box.nodes) == [node])
            #expect(watched.snapshotEvents == [.undoInsertion, .undoDeletion])
            #expect(watched.calls.count { $0 == "awakeFromInsert" } == 1)
            try context.save()
            let reader = container.newContext()
            let read: Node = try #require(reader.see(Node.fetchRequest()).first)
            #expect(read.objectID == node.objectID)
            #expect(read.label == "new")
            #expect(read.box?.objectID == box.objectID)
        }
    }

    @Test(arguments: [false, true])
    func `the deletion of an object brings both sides of its relationships back`(
        _ saves: Bool
    ) throws {
        try withUndo { container, context, manager in
            let box = Box(in: context)
            let node = Node(in: context, label: "kept", box: box)
            let topics = [Topic(in: context), Topic(in: context)]
            for topic in topics { node.tags.insert(topic) }
            let part = Part(in: context, node: node)
            let next = Node(in: context)
            node.next = next
            try context.save()
            manager.removeAllActions()
            let before = try World(of: context)

            context.delete(node)
            if saves { try context.save() } else { context.processPendingChanges() }
            #expect(box.nodes.isEmpty && topics.allSatisfy { $0.nodes.isEmpty })
            context.undo()
            #expect(try World(of: context) == before)
            #expect(before.inverseFaults(in: context).isEmpty)
            #expect(node.label == "kept" && !node.isDeleted)
            #expect(part.node === node)
            #expect(next.previous === node)
            #expect(context.hasChanges == saves)
            try context.save()
            #expect(try World(of: container.newContext()) == before)

            context.redo()
            #expect(node.isDeleted && part.isDeleted)
            #expect(box.nodes.isEmpty && topics.allSatisfy { $0.nodes.isEmpty })
            try context.save()
            #expect(try container.newContext().countSeen(Part.fetchRequest()) == 0)
        }
    }

    @Test func `relationships are undone on both sides`() throws {
        try withUndo { _, context, _ in
            let boxes = (Box(in: context), Box(in: context))
            let node = Node(in: context, box: boxes.0)
            let (topic, kept) = (Topic(in: context), Topic(in: context))
            node.tags.insert(kept)
            try context.save()
            node.box = boxes.1
            topic.nodes.insert(node)
            node.tags.remove(kept)
            context.undo()
            #expect(node.box === boxes.0)
            #expect(Array(boxes.0.nodes) == [node] && boxes.1.nodes.isEmpty)
            #expect(Array(node.tags) == [kept] && topic.nodes.isEmpty)
            #expect(Array(kept.nodes) == [node])
            #expect(!context.hasChanges)
            context.redo()
            #expect(Array(boxes.1.nodes) == [node] && boxes.0.nodes.isEmpty)
            #expect(Array(node.tags) == [topic] && kept.nodes.isEmpty)
        }
    }

    @Test func `one-to-ones that exchange partners are undone`() throws {
        try withUndo { _, context, _ in
            let nodes = (0..<4).map { Node(in: context, number: $0) }
            nodes[0].next = nodes[2]
            nodes[1].next = nodes[3]
            try context.save()
            nodes[0].next = nodes[3]
            nodes[1].next = nodes[2]
            context.undo()
            #expect(nodes[0].next === nodes[2] && nodes[2].previous === nodes[0])
            #expect(nodes[1].next === nodes[3] && nodes[3].previous === nodes[1])
            #expect(!context.hasChanges)
            context.redo()
            #expect(nodes[0].next === nodes[3] && nodes[1].next === nodes[2])
        }
    }

    @Test func `a saved change is undone as a new change`() throws {
        try withUndo { container, context, _ in
            let node = Node(in: context, label: "first")
            try context.save()
            node.label = "second"
            try context.save()
            context.undo()
            #expect(node.isUpdated && node.label == "first")
            try context.save()
            let reader = container.newContext()
            #expect(try reader.see(Node.fetchRequest()).map(\.label) == ["first"])
        }
    }

    @Test func `a rollback and a reset forget everything`() throws {
        try withUndo { _, context, manager in
            let node = Node(in: context)
            try context.save()
            node.label = "changed"
            context.undo()
            #expect(manager.canUndo && manager.canRedo)
            context.rollback()
            #expect(!manager.canUndo && !manager.canRedo)
            node.label = "changed"
            context.processPendingChanges()
            context.reset()
            #expect(!manager.canUndo && !manager.canRedo)
        }
    }

    @Test func `bulk work can be left out`() throws {
        try withUndo { _, context, manager in
            let node = Node(in: context, label: "first")
            try context.save()
            manager.removeAllActions()
            node.number = 1
            manager.disableUndoRegistration()
            #expect(!manager.isUndoRegistrationEnabled)
            node.label = "not remembered"
            manager.enableUndoRegistration()
            #expect(manager.isUndoRegistrationEnabled)
            context.undo()
            #expect(node.number == 0)
            #expect(node.label == "not remembered")
            #expect(!manager.canUndo)
        }
    }

    @Test func `groups last over events`() throws {
        try withUndo { _, context, manager in
            let node = Node(in: context)
            try context.save()
            manager.removeAllActions()
            manager.beginUndoGrouping()
            node.number = 1
            context.processPendingChanges()
            manager.beginUndoGrouping()
            #expect(manager.groupingLevel == 2)
            node.number = 2
            context.processPendingChanges()
            manager.endUndoGrouping()
            node.label = "changed"
            manager.endUndoGrouping()
            context.undo()
            #expect(node.number == 0 && node.label == "")
            #expect(!manager.canUndo)
            context.redo()
            #expect(node.number == 2 && node.label == "changed")
        }
    }

    @Test func `events make no groups where the program does`() throws {
        try withUndo { _, context, manager in
            let node = Node(in: context)
            try context.save()
            manager.removeAllActions()
            manager.groupsByEvent = false
            node.number = 1
            context.processPendingChanges()
            node.number = 2
            context.processPendingChanges()
            context.undo()
            #expect(node.number == 0)
        }
    }

    @Test func `only so many groups are kept`() throws {
        try withUndo { _, context, manager in
            let node = Node(in: context)
            try context.save()
            manager.levelsOfUndo = 2
            for number in 1...4 {
                node.number = Int64(number)
                context.processPendingChanges()
            }
            for _ in 0..<4 { context.undo() }
            #expect(node.number == 2)
        }
    }

    @Test func `groups have names`() throws {
        try withUndo { _, context, manager in
            let node = Node(in: context)
            context.processPendingChanges()
            manager.setActionName("Insert")
            #expect(manager.undoActionName == "Insert")
            node.number = 1
            manager.setActionName("Count")
            context.processPendingChanges()
            #expect(manager.undoActionName == "Count")
            context.undo()
            #expect(manager.undoActionName == "Insert")
            #expect(manager.redoActionName == "Count")
            context.redo()
            #expect(manager.undoActionName == "Count")
        }
    }

    @Test func `what a refresh brings is not undone`() throws {
        try withUndo { container, context, _ in
            let node = Node(in: context, label: "saved", number: 1)
            try context.save()
            let other = container.newContext()
            let same: Node = try other.get(node.objectID)
            same.number = 2
            try other.save()
            node.label = "changed"
            context.refresh(node, mergeChanges: true)
            #expect((node.label, node.number) == ("changed", 2))
            context.undo()
            #expect((node.label, node.number) == ("saved", 2))
            #expect(!context.hasChanges)
        }
    }

    @Test func `what another context has deleted is left out`() throws {
        try withUndo { container, context, _ in
            let (node, other) = (Node(in: context), Node(in: context))
            let box = Box(in: context)
            try context.save()
            node.label = "changed"
            node.box = box
            other.label = "changed"
            try context.save()
            let sibling = container.newContext()
            sibling.delete(sibling.object(with: node.objectID))
            try sibling.save()
            context.mergePending()
            context.undo()
            #expect(other.label == "")
            #expect(node.isDeleted)
            #expect(box.nodes.isEmpty)
            try context.save()
        }
    }

    @Test func `the view context makes a group of each event`() async throws {
        try await viewContextMakesGroups()
    }

    @MainActor private func viewContextMakesGroups() async throws {
        try await withContainer(ObjectKind.current.everything) { container in
            let context = container.viewContext
            let manager = ContextUndoManager()
            context.undoManager = manager
            let node = Node(in: context, label: "a")
            _ = try context.countSeen(Node.fetchRequest())
            node.label = "b"
            // Jobs of the main actor come in turn, and the end of the event was enqueued before.
            await Task { @MainActor in }.value
            node.label = "c"
            context.undo()
            #expect(node.label == "b")
            context.undo()
            #expect(node.managedObjectContext == nil)
            #expect(!manager.canUndo)
        }
    }

    @Test func `an object that was linked and deleted in one event comes back without the links`()
        throws
    {
        try withUndo { _, context, manager in
            let (node, topic) = (Node(in: context, label: "a"), Topic(in: context))
            try context.save()
            manager.removeAllActions()
            node.tags.insert(topic)
            node.follows.insert(node)
            _ = Part(in: context, node: node)
            context.delete(node)
            context.processPendingChanges()
            manager.undo()
            #expect(node.label == "a" && node.managedObjectContext != nil)
            #expect(node.tags.isEmpty && topic.nodes.isEmpty)
            #expect(node.follows.isEmpty && node.parts.isEmpty)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: [false, true])
    func `a deletion that is undone has what others saved meanwhile`(_ isChanged: Bool) throws {
        try withUndo { container, context, _ in
            let node = Node(in: context, label: "old", number: 1)
            try context.save()
            if isChanged { node.number = 7 }
            context.processPendingChanges()
            context.delete(node)
            context.processPendingChanges()
            let sibling = container.newContext()
            let same: Node = try sibling.get(node.objectID)
            same.label = "sibling"
            try sibling.save()
            context.mergePending()
            context.undo()
            #expect(node.label == "sibling")
            #expect(node.number == (isChanged ? 7 : 1))
            node.label = "mine"
            try context.save()
        }
    }

    @Test func `an object is told of a change that is undone or redone`() throws {
        try withUndo(Everything.model) { _, context, manager in
            let watched = Watched(in: context, name: "old")
            try context.save()
            manager.removeAllActions()
            watched.name = "new"
            context.undo()
            #expect(watched.name == "old" && watched.snapshotEvents == [.undoUpdate])
            context.redo()
            #expect(watched.name == "new")
            #expect(watched.snapshotEvents == [.undoUpdate, .undoUpdate])
            #expect(SnapshotEvents.undoUpdate.rawValue == 8, "Core Data's number")
        }
    }
}
