import Cambium
import EverythingModel
import Testing

/// An undo of links to objects that another context has deleted meanwhile: these are left out.
struct UndoneLinkTests {
    /// A change of a node's link to an object is saved, the object deleted by another context, and
    /// the change undone.
    ///
    /// - Parameter changes: The former link is one of a node to a topic, another node, or a part's
    ///   to its node.
    private func withUndoneChange(
        merges: Bool = true, refreshes: Bool = false, _ policy: MergePolicy,
        make: (ManagedObjectContext, Node) -> ManagedObject, change: (Node) throws -> Void,
        _ body: (ManagedObjectContext, Node) throws -> Void
    ) throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let (context, others) = (container.newContext(), container.newContext())
        context.automaticallyMergesChangesFromParent = merges
        context.mergePolicy = policy
        let node = Node(in: context, label: "node", number: 1)
        let lost = make(context, node).objectID
        try context.save()
        context.undoManager = ContextUndoManager()
        try change(node)
        node.number = 7
        try context.save()
        context.processPendingChanges()
        others.delete(others.object(with: lost))
        try others.save()
        if merges { _ = try context.fetch(FetchRequest<Node>()) }
        if refreshes { context.refreshAllObjects() }
        context.undo()
        try body(context, node)
        #expect(context.invariantFaults() == [])
    }

    private static let policies: [MergePolicy] = [
        .error, .objectTrump, .storeTrump, .overwrite, .rollback,
    ]

    @Test(arguments: policies) func `a tag is left out`(_ policy: MergePolicy) throws {
        try withUndoneChange(policy) { context, node in
            let topic = Topic(in: context, name: "tag")
            node.tags.insert(topic)
            return topic
        } change: {
            $0.tags.removeAll()
        } _: { context, node in
            #expect(node.tags.isEmpty)
            try context.save()
            #expect(node.tags.isEmpty && node.number == 1)
        }
    }

    @Test(arguments: policies) func `a member of a list is left out`(_ policy: MergePolicy) throws {
        try withUndoneChange(policy) { context, node in
            let topics = ["a", "b"].map { Topic(in: context, name: $0) }
            node.queue.append(contentsOf: topics)
            return topics[0]
        } change: {
            $0.queue.removeAll()
        } _: { context, node in
            #expect(node.queue.map(\.name) == ["b"])
            try context.save()
            context.refreshAllObjects()
            #expect(node.queue.map(\.name) == ["b"])
        }
    }

    @Test(arguments: policies) func `a partner is left out`(_ policy: MergePolicy) throws {
        try withUndoneChange(policy) { context, node in
            let partner = Node(in: context)
            node.next = partner
            return partner
        } change: {
            $0.next = nil
        } _: { context, node in
            #expect(node.next == nil)
            try context.save()
            #expect(node.next == nil && node.number == 1)
        }
    }

    @Test(arguments: policies) func `who must have an owner keeps the one that there is`(
        _ policy: MergePolicy
    ) throws {
        try withUndoneChange(policy) { context, node in
            let former = Node(in: context)
            _ = Part(in: context, name: "part", node: former)
            return former
        } change: { node in
            let context = try #require(node.managedObjectContext)
            let part = try #require(try context.fetch(FetchRequest<Part>()).first)
            part.node = node
            part.name = "moved"
        } _: { context, node in
            #expect(node.parts.map(\.name) == ["part"])
            try context.save()
            #expect(node.parts.map(\.name) == ["part"] && node.number == 1)
        }
    }

    @Test(arguments: policies) func `who comes back, too, comes without it`(
        _ policy: MergePolicy
    ) throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let (context, others) = (container.newContext(), container.newContext())
        context.automaticallyMergesChangesFromParent = true
        context.mergePolicy = policy
        let node = Node(in: context, label: "node", number: 1)
        let (topic, partner) = (Topic(in: context), Node(in: context))
        node.tags.insert(topic)
        node.queue.append(topic)
        node.next = partner
        let ids = [topic.objectID, partner.objectID]
        try context.save()
        context.undoManager = ContextUndoManager()
        context.delete(node)
        try context.save()
        context.processPendingChanges()
        for id in ids { others.delete(others.object(with: id)) }
        try others.save()
        _ = try context.fetch(FetchRequest<Node>())
        context.undo()
        #expect(node.tags.isEmpty && node.queue.isEmpty && node.next == nil)
        try context.save()
        #expect(node.tags.isEmpty && node.queue.isEmpty && node.next == nil)
        #expect(try context.count(for: FetchRequest<Node>()) == 1)
        #expect(context.invariantFaults() == [])
    }

    @Test func `who merges by hand leaves out what it reads anew`() throws {
        try withUndoneChange(merges: false, refreshes: true, .error) { context, node in
            let topic = Topic(in: context, name: "tag")
            node.tags.insert(topic)
            node.queue.append(topic)
            return topic
        } change: {
            $0.tags.removeAll()
            $0.queue.removeAll()
        } _: { context, node in
            #expect(node.tags.isEmpty && node.queue.isEmpty)
            try context.save()
        }
    }

    @Test func `who merges by hand leaves them out when it has merged`() throws {
        try withUndoneChange(merges: false, .error) { context, node in
            let topic = Topic(in: context, name: "tag")
            node.tags.insert(topic)
            node.queue.append(topic)
            return topic
        } change: {
            $0.tags.removeAll()
            $0.queue.removeAll()
        } _: { context, node in
            // It cannot know yet.
            #expect(throws: ValidationErrors.self) { try context.save() }
            context.mergePending()
            try context.save()
            #expect(node.tags.isEmpty && node.queue.isEmpty)
        }
    }
}
