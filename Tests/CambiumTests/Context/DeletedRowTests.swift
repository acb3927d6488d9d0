import Cambium
import EverythingModel
import Testing

/// Rows that others have deleted, in a context that does not know it: what Cambium reads by itself
/// is no error of the program, and no save fails because of it.
struct DeletedRowTests {
    /// A context with objects that are faults, and objects that are deleted beside it.
    private func withLost(
        _ policy: MergePolicy = .storeTrump,
        make: (ManagedObjectContext) -> [ManagedObject],
        _ body: (ManagedObjectContext, [ManagedObject]) throws -> Void
    ) throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let context = container.newContext()
        context.mergePolicy = policy
        let lost = make(context)
        try context.save()
        let sibling = container.newContext()
        context.refreshAllObjects()
        for object in lost { sibling.delete(sibling.object(with: object.objectID)) }
        try sibling.save()
        context.stalenessInterval = 0
        try body(context, lost)
        try context.save()
        #expect(!context.hasChanges)
        context.mergePending()
        #expect(context.invariantFaults() == [])
    }

    @Test func `conditions, orders and sections show nothing of it`() throws {
        try withLost {
            [Box(in: $0, name: "b")]
        } _: { context, lost in
            let node = Node(in: context, label: "a", box: lost[0] as? Box)
            let other = Node(in: context, label: "b")
            let requests = [
                Node.fetchRequest().filter(Node.box.name == "b"),
                Node.fetchRequest().filter(Node.box.name != "c" && Node.box.name < "z"),
                Node.fetchRequest().filter(Node.box.topic.name == "t"),
                Node.fetchRequest().filter(Node.box.nodes.count > 5),
            ]
            for request in requests { _ = try context.fetch(request) }
            #expect(try context.fetch(requests[0]) == [])
            let nameless = try context.fetch(Node.fetchRequest().filter(Node.box.name == nil))
            #expect(Set(nameless) == [node, other])
            let controller = FetchedResultsController(
                Node.fetchRequest().sorted(by: Node.box.topic.name, Node.label), in: context,
                sectionedBy: Node.box.name)
            try controller.performFetch()
            let delegate = CallLog<Node> { $0.label }
            controller.delegate = delegate
            node.label = "c"
            context.processPendingChanges()
            #expect(controller.fetchedObjects == [other, node])
            #expect(controller.sections.map(\.name) == [""])
            #expect(!delegate.calls.isEmpty)
        }
    }

    @Test func `delete rules pass it by`() throws {
        try withLost { context in
            let node = Node(in: context, box: Box(in: context))
            return [Part(in: context, node: node), node]
        } _: { context, lost in
            let box = try #require(try context.fetch(Box.fetchRequest()).first)
            #expect(box.nodes.count <= 1)
            context.delete(box)
            context.processPendingChanges()
        }
    }

    @Test func `a cascade passes a deleted part by`() throws {
        try withLost { context in
            let node = Node(in: context)
            return [Part(in: context, node: node)]
        } _: { context, lost in
            let node = try #require(try context.fetch(Node.fetchRequest()).first)
            context.delete(node)
            context.processPendingChanges()
            #expect(!lost[0].hasChanges)
        }
    }

    @Test func `what was deleted can be deleted again`() throws {
        try withLost(.error) {
            [Node(in: $0, label: "a")]
        } _: { context, lost in
            context.delete(lost[0])
            #expect(lost[0].isDeleted)
        }
    }

    @Test func `an undo passes it by`() throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let context = container.newContext()
        context.undoManager = ContextUndoManager()
        let node = Node(in: context, label: "a")
        try context.save()
        node.label = "b"
        try context.save()
        context.refreshAllObjects()
        let sibling = container.newContext()
        sibling.delete(sibling.object(with: node.objectID))
        try sibling.save()
        context.stalenessInterval = 0
        for _ in 0..<2 { context.undo() }
        for _ in 0..<2 { context.redo() }
        try context.save()
    }

    /// Every round of a save reads it again.
    @Test func `a hook that looks at it does not keep the save from settling`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = container.newContext()
            let (lost, watched) = (Node(in: context), Watched(in: context))
            try context.save()
            try execute(#"DELETE FROM "Node""#, in: path)
            let id = lost.objectID
            let other = container.newContext()
            let same: Watched = try other.get(watched.objectID)
            same.count = 2
            var calls = 0
            same.onWillSave = { watched in
                calls += 1
                guard let context = watched.managedObjectContext else { return }
                _ = (context.object(with: id) as? Node)?.label
            }
            let error = #expect(throws: StoreError.self) { try other.save() }
            #expect(error?.code == .missingRow)
            // What is gone is nothing to be saved, and no reason for another round.
            #expect(calls == 1)
        }
    }
}
