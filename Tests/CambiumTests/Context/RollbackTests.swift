import Cambium
import EverythingModel
import Testing

private typealias Node = Seen<EverythingModel.Node>
private typealias Box = Seen<EverythingModel.Box>
private typealias Topic = Seen<EverythingModel.Topic>

@Suite(.bothKinds) struct RollbackTests {
    private func withGraph(
        _ body: (ManagedObjectContext, Node, Box) throws -> Void
    ) throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let box = Box(in: context, name: "saved")
            let node = Node(in: context, label: "saved", box: box)
            node.tags.insert(Topic(in: context))
            try context.save()
            try body(context, node, box)
        }
    }

    @Test func `a rollback brings back values and links`() throws {
        try withGraph { context, node, box in
            node.label = "changed"
            node.box = nil
            node.tags.removeAll()
            let new = Node(in: context, box: box)
            context.rollback()
            #expect(!context.hasChanges)
            #expect(node.label == "saved")
            #expect(node.box === box)
            #expect(Array(box.nodes) == [node])
            #expect(node.tags.count == 1)
            #expect(new.managedObjectContext == nil)
        }
    }

    @Test func `a new object that was deleted in the same event goes with a rollback`() throws {
        try withGraph { context, _, _ in
            let new = Node(in: context)
            let id = new.objectID
            context.delete(new)
            context.rollback()
            #expect(context.registeredObject(for: id) == nil)
            #expect(!context.registeredObjects.contains(new))
            #expect(context.invariantFaults() == [])
        }
    }

    @Test func `a rollback brings back deleted objects and what the deletion did`() throws {
        try withGraph { context, node, box in
            context.delete(box)
            context.processPendingChanges()
            #expect(node.box == nil)
            context.rollback()
            #expect(!box.isDeleted)
            #expect(node.box === box)
            #expect(Array(box.nodes) == [node])
            try context.save()
            #expect(try context.countSeen(Box.fetchRequest()) == 1)
        }
    }

    @Test func `a rollback forgets errors that were waiting for the save`() throws {
        try withGraph { context, node, _ in
            try withContainer(ObjectKind.current.everything) { other in
                node.box = Box(in: other.newContext())
            }
            context.rollback()
            try context.save()
        }
    }

    @Test func `rule 51: a refresh without merging drops the changes and makes a fault`() throws {
        try withGraph { context, node, box in
            let other = Box(in: context)
            node.label = "changed"
            node.box = other
            context.refresh(node, mergeChanges: false)
            #expect(node.isFault)
            #expect(!node.hasChanges)
            #expect(node.label == "saved")
            #expect(node.box === box)
            #expect(Array(box.nodes) == [node])
            #expect(other.nodes.isEmpty)
        }
    }

    @Test func `a refresh without merging takes links back on both sides`() throws {
        try withGraph { context, node, _ in
            let topic = Topic(in: context)
            node.tags.insert(topic)
            context.refresh(node, mergeChanges: false)
            #expect(topic.nodes.isEmpty)
            #expect(node.tags.count == 1)
        }
    }

    @Test func `a refresh leaves what the other ends of a to-many have changed`() throws {
        try withGraph { context, node, box in
            let other = Node(in: context, box: box)
            context.refresh(box, mergeChanges: false)
            #expect(Set(box.nodes) == [node, other])
            try context.save()
            #expect(!context.hasChanges)
            #expect(Set(box.nodes) == [node, other])
        }
    }

    @Test func `rule 51: a refresh with merging reads the row and keeps the changes on top`() throws
    {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "saved", number: 1)
            try context.save()
            let other = container.newContext()
            let same: Node = try other.get(node.objectID)
            same.label = "theirs"
            same.number = 2
            try other.save()
            node.label = "ours"
            context.refresh(node, mergeChanges: true)
            #expect(node.label == "ours")
            #expect(node.number == 2)
            try context.save()
            #expect(node.label == "ours")
        }
    }

    @Test func `rule 51: a refresh keeps what is in memory only with the changes`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let sample = Sample(in: context, text: "saved")
            try context.save()
            sample.scratch = 5
            context.refresh(sample, mergeChanges: true)
            #expect(sample.scratch == 5)
            try context.save()
            context.refresh(sample, mergeChanges: true)
            #expect(sample.scratch == 5)
            context.refresh(sample, mergeChanges: false)
            #expect(sample.scratch == 0)
            #expect(sample.text == "saved")
        }
    }

    @Test func `rule 51: refreshing everything keeps changed objects, the others become faults`()
        throws
    {
        try withGraph { context, node, box in
            node.label = "changed"
            context.refreshAllObjects()
            #expect(node.label == "changed")
            #expect(box.isFault)
        }
    }
}
