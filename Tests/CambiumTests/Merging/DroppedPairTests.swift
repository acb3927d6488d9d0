import Cambium
import EverythingModel
import Testing

/// Pairs of join tables at whose one end an object is deleted by another context: the other end is
/// told, and shows it at once.
struct DroppedPairTests {
    private func withPair(
        _ policy: MergePolicy = .error, merges: Bool = true,
        _ body: (
            ManagedObjectContext, _ sibling: ManagedObjectContext, Node, Topic,
            _ told: () -> Set<ManagedObject>
        ) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            context.mergePolicy = policy
            context.automaticallyMergesChangesFromParent = merges
            let (node, topic) = (Node(in: context), Topic(in: context))
            try context.save()
            var told: Set<ManagedObject> = []
            let token = context.observe(.objectsDidChange) {
                told.formUnion($0.updated.union($0.refreshed))
            }
            try body(context, container.newContext(), node, topic) {
                defer { told = [] }
                return told
            }
            context.processPendingChanges()
            #expect(context.invariantFaults() == [] && !context.hasChanges)
            withExtendedLifetime(token) {}
        }
    }

    @Test(arguments: [false, true])
    func `a pair that was saved before the deletion of one end`(_ isTopic: Bool) throws {
        try withPair { context, sibling, node, topic, told in
            let lost: ManagedObject = isTopic ? topic : node
            sibling.delete(sibling.object(with: lost.objectID))
            sibling.processPendingChanges()
            node.tags.insert(topic)
            node.queue.append(topic)
            try context.save()
            #expect(node.tags.count == 1 && topic.nodes.count == 1)
            #expect(node.queue.count == 1 && topic.waiting.count == 1)
            try sibling.save()
            _ = told()
            context.mergePending()
            #expect(told().contains(isTopic ? node : topic))
            #expect(isTopic ? node.tags.isEmpty : topic.nodes.isEmpty)
            #expect(isTopic ? node.queue.isEmpty : topic.waiting.isEmpty)
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback], [false, true])
    func `a pair of an object that yields to its deletion`(
        _ policy: MergePolicy, merges: Bool
    ) throws {
        try withPair(policy, merges: merges) { context, sibling, node, topic, told in
            topic.name = "changed"
            node.tags.insert(topic)
            #expect(node.tags.count == 1)
            sibling.delete(sibling.object(with: topic.objectID))
            try sibling.save()
            context.processPendingChanges()
            _ = told()
            try context.save()
            #expect(topic.isDeleted && node.tags.isEmpty)
            #expect(told().contains(node))
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback], [false, true])
    func `a pair of an object whose deletion yields to a change`(
        _ policy: MergePolicy, isTopic: Bool
    ) throws {
        try withPair(policy) { context, sibling, node, topic, told in
            let (later, laterTopic) = (Node(in: context), Topic(in: context))
            node.tags.insert(topic)
            node.queue.append(topic)
            try context.save()
            context.delete(isTopic ? topic : node)
            context.processPendingChanges()
            #expect(isTopic ? node.tags.isEmpty : topic.nodes.isEmpty)
            // The other end of this pair has no unsaved change.
            let theirTopic: Topic = try sibling.get((isTopic ? topic : laterTopic).objectID)
            let theirNode: Node = try sibling.get((isTopic ? later : node).objectID)
            theirNode.tags.insert(theirTopic)
            theirNode.label = "theirs"
            theirTopic.name = "theirs"
            try sibling.save()
            context.mergePending()
            #expect(isTopic ? later.tags.isEmpty : laterTopic.nodes.isEmpty)
            _ = told()
            try context.save()
            let ends: Set<ManagedObject> =
                isTopic ? [topic, node, later] : [node, topic, laterTopic]
            #expect(told().isSuperset(of: ends))
            #expect(node.tags.count == (isTopic ? 1 : 2) && node.queue.count == 1)
            #expect(topic.nodes.count == (isTopic ? 2 : 1) && topic.waiting.count == 1)
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback], [false, true])
    func `a saved pair of an object that yields to its deletion`(
        _ policy: MergePolicy, merges: Bool
    ) throws {
        try withPair(policy, merges: merges) { context, sibling, node, topic, told in
            node.tags.insert(topic)
            node.queue.append(topic)
            try context.save()
            #expect(node.tags.count == 1 && node.queue.count == 1)
            topic.name = "changed"
            sibling.delete(sibling.object(with: topic.objectID))
            try sibling.save()
            context.processPendingChanges()
            _ = told()
            try context.save()
            #expect(topic.isDeleted && node.tags.isEmpty && node.queue.isEmpty)
            #expect(told().contains(node))
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump, .overwrite, .rollback], [false, true])
    func `a pair that a save leaves out in a context that does not merge`(
        _ policy: MergePolicy, isRead: Bool
    ) throws {
        try withPair(policy, merges: false) { context, sibling, node, topic, _ in
            if !isRead { context.refreshAllObjects() }
            node.tags.insert(topic)
            if isRead { #expect(node.tags.count == 1) }
            sibling.delete(sibling.object(with: topic.objectID))
            try sibling.save()
            try context.save()
            #expect(node.tags.isEmpty)
            context.refreshAllObjects()
            #expect(node.tags.isEmpty)
            context.mergePending()
            #expect(topic.isDeleted && node.tags.isEmpty)
        }
    }

    @Test func `a pair of which an undo has dropped one side`() throws {
        try withPair { context, sibling, node, topic, _ in
            let box = Box(in: context)
            node.tags.insert(topic)
            box.topic = topic
            try context.save()
            context.refreshAllObjects()
            context.undoManager = ContextUndoManager()
            context.delete(box)
            context.processPendingChanges()
            node.tags.insert(topic)
            context.processPendingChanges()
            context.undo()
            #expect(!box.isDeleted && !topic.hasChanges)
            sibling.delete(sibling.object(with: topic.objectID))
            try sibling.save()
            context.mergePending()
            #expect(node.tags.isEmpty && box.topic == nil)
        }
    }
}
