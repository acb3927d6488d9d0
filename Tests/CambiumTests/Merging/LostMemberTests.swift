import Cambium
import EverythingModel
import Testing

private typealias Node = Seen<EverythingModel.Node>
private typealias Box = Seen<EverythingModel.Box>
private typealias Topic = Seen<EverythingModel.Topic>
private typealias Part = Seen<EverythingModel.Part>

/// Who is in a to-many here, with unsaved changes or with changes that were taken back, and is
/// deleted or moved by another context: the to-many follows.
@Suite(.bothKinds) struct LostMemberTests {
    private func withContexts(
        _ body: (ManagedObjectContext, _ sibling: ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            context.undoManager = ContextUndoManager()
            try body(context, container.newContext())
            #expect(context.invariantFaults() == [])
            try context.save()
            #expect(context.invariantFaults() == [])
        }
    }

    private func lose(
        _ object: any SeenObject, by sibling: ManagedObjectContext,
        _ context: ManagedObjectContext
    ) throws {
        sibling.delete(sibling.object(with: object.object.objectID))
        try sibling.save()
        context.mergePending()
    }

    /// Deletes an object and takes it back.
    private func deleteAndUndo(_ object: any SeenObject, in context: ManagedObjectContext) {
        context.processPendingChanges()
        context.delete(object.object)
        context.processPendingChanges()
        context.undo()
    }

    @Test(arguments: [false, true])
    func `one whose deletion was undone leaves a changed owner`(_ hasNewMember: Bool) throws {
        try withContexts { context, sibling in
            let node = Node(in: context)
            let part = Part(in: context, node: node)
            try context.save()
            let other = hasNewMember ? Part(in: context, node: node) : nil
            if !hasNewMember { node.label = "changed" }
            deleteAndUndo(part, in: context)
            #expect(Array(node.parts) == [part, other].compactMap(\.self))
            try lose(part, by: sibling, context)
            #expect(Array(node.parts) == [other].compactMap(\.self))
        }
    }

    @Test func `a batch operation takes it out, too`() throws {
        try withContexts { context, _ in
            let node = Node(in: context)
            let part = Part(in: context, node: node)
            try context.save()
            let other = Part(in: context, node: node)
            deleteAndUndo(part, in: context)
            try context.execute(
                BatchDeleteRequest<EverythingModel.Part>(objectIDs: [part.objectID]))
            #expect(Array(node.parts) == [other])
        }
    }

    @Test func `one whose move was undone follows another move`() throws {
        try withContexts { context, sibling in
            let (old, new) = (Box(in: context), Box(in: context))
            let node = Node(in: context, box: old)
            try context.save()
            let others = [Node(in: context, box: old), Node(in: context, box: new)]
            context.processPendingChanges()
            node.box = new
            context.processPendingChanges()
            context.undo()
            #expect(old.nodes.contains(node) && !new.nodes.contains(node))
            try sibling.get(node.objectID, as: Node.self).box = sibling.get(new.objectID)
            try sibling.save()
            context.mergePending()
            #expect(node.box == new)
            #expect(Array(old.nodes) == [others[0]])
            #expect(Array(new.nodes) == [node, others[1]])
        }
    }

    @Test func `one of a join table whose deletion was undone`() throws {
        try withContexts { context, sibling in
            let (node, topic) = (Node(in: context), Topic(in: context))
            node.tags.insert(topic)
            node.queue.append(topic)
            try context.save()
            let other = Topic(in: context)
            node.tags.insert(other)
            node.queue.append(other)
            deleteAndUndo(topic, in: context)
            #expect(Array(node.tags) == [topic, other] && Array(node.queue) == [topic, other])
            try lose(topic, by: sibling, context)
            #expect(Array(node.tags) == [other] && Array(node.queue) == [other])
        }
    }

    @Test func `one of a list whose deletion was undone, and the others keep their places`()
        throws
    {
        try withContexts { context, sibling in
            let topic = Topic(in: context)
            let boxes = (0..<3).map { _ in Box(in: context) }
            for box in boxes { topic.boxes.append(box.object) }
            try context.save()
            let other = Box(in: context)
            topic.boxes.insert(other.object, at: 1)
            deleteAndUndo(boxes[0], in: context)
            #expect(Array(topic.boxes) == [boxes[0], other, boxes[1], boxes[2]])
            try lose(boxes[0], by: sibling, context)
            #expect(Array(topic.boxes) == [other, boxes[1], boxes[2]])
        }
    }

    @Test func `one that was moved here and never saved`() throws {
        try withContexts { context, sibling in
            let (old, new) = (Node(in: context), Node(in: context))
            let part = Part(in: context, node: old)
            try context.save()
            part.node = new
            try lose(part, by: sibling, context)
            #expect(old.parts.isEmpty && new.parts.isEmpty)
            try context.save()
            #expect(old.parts.isEmpty && new.parts.isEmpty)
        }
    }

    @Test func `one that was put into a join table and never saved`() throws {
        try withContexts { context, sibling in
            let (node, topic) = (Node(in: context), Topic(in: context))
            try context.save()
            node.tags.insert(topic)
            node.queue.append(topic)
            try lose(topic, by: sibling, context)
            #expect(node.tags.isEmpty && node.queue.isEmpty)
        }
    }

    @Test func `one that was moved back here yields to where another context moved it`() throws {
        try withContexts { context, sibling in
            let (old, new) = (Box(in: context), Box(in: context))
            let node = Node(in: context, box: old)
            try context.save()
            node.box = new
            node.box = old
            try sibling.get(node.objectID, as: Node.self).box = sibling.get(new.objectID)
            try sibling.save()
            context.mergePending()
            #expect(node.box == new)
            #expect(old.nodes.isEmpty && Array(new.nodes) == [node])
        }
    }

    /// Makes all relationships of nodes and boxes be read again.
    private func saveAnything(
        in sibling: ManagedObjectContext, _ context: ManagedObjectContext
    ) throws {
        _ = Node(in: sibling, label: "theirs", box: Box(in: sibling))
        try sibling.save()
        context.mergePending()
    }

    @Test func `a partner that comes back is the only one, also after a merge`() throws {
        try withContexts { context, sibling in
            let (node, first, second) = (Node(in: context), Node(in: context), Node(in: context))
            first.next = node
            try context.save()
            second.next = node
            try saveAnything(in: sibling, context)
            first.next = node
            #expect(second.next == nil && node.previous == first)
        }
    }

    @Test func `a member that comes back is taken out again by undo, also after a merge`() throws {
        try withContexts { context, sibling in
            let (topic, box) = (Topic(in: context), Box(in: context))
            topic.boxes.append(box.object)
            try context.save()
            box.topic = nil
            context.processPendingChanges()
            try saveAnything(in: sibling, context)
            box.topic = topic
            context.undo()
            #expect(box.topic == nil && topic.boxes.isEmpty)
        }
    }
}
