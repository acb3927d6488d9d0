import Cambium
import EverythingModel
import Testing

/// Rows that a family of contexts has changed, and that others have deleted meanwhile.
struct DeletedBesideFamilyTests {
    /// The parent and its child have changed different values of a node that others have changed
    /// and then deleted.
    private func withDeletedNode(
        _ body: (PersistentContainer, Node, _ same: Node) throws -> Void
    ) throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let first = container.newContext()
        let id = Node(in: first, label: "base", number: 1).objectID
        _ = Node(in: first, label: "other", number: 1)
        try first.save()
        let (context, others) = (container.newContext(), container.newContext())
        context.automaticallyMergesChangesFromParent = true
        let child = context.newChildContext()
        child.automaticallyMergesChangesFromParent = true
        let (node, same): (Node, Node) = (try context.get(id), try child.get(id))
        node.label = "parent's"
        same.number = 7
        (try others.get(id) as Node).number = 5
        try others.save()
        others.delete(others.object(with: id))
        try others.save()
        try body(container, node, same)
    }

    @Test func `a rollback shows that the row is gone, also after a child's save`() throws {
        try withDeletedNode { container, node, same in
            let context = try #require(node.managedObjectContext)
            let child = try #require(same.managedObjectContext)
            _ = try child.fetch(FetchRequest<Node>())
            try child.save()
            #expect(throws: ConflictError.self) { try context.save() }
            context.rollback()
            #expect(node.isDeleted && !context.hasChanges)
            #expect(try context.count(for: FetchRequest<Node>()) == 1)
            #expect(try context.fetch(FetchRequest<Node>()).count == 1)
            child.mergePending()
            #expect(same.isDeleted)
            node.number = 3
            try context.save()
        }
    }

    @Test func `a rollback shows it after a child's deletion, too`() throws {
        try withDeletedNode { container, node, same in
            let context = try #require(node.managedObjectContext)
            let child = try #require(same.managedObjectContext)
            _ = try context.fetch(FetchRequest<Node>())
            child.automaticallyMergesChangesFromParent = false
            child.delete(same)
            try child.save()
            context.rollback()
            #expect(node.isDeleted)
            #expect(context.registeredObjects.allSatisfy { !$0.isFault })
        }
    }

    @Test func `a controller lists it no more`() throws {
        try withDeletedNode { container, node, same in
            let context = try #require(node.managedObjectContext)
            let child = try #require(same.managedObjectContext)
            let controller = FetchedResultsController(
                FetchRequest<Node>().sorted(by: Node.label), in: context)
            try controller.performFetch()
            let delegate = MirrorDelegate(controller)
            controller.delegate = delegate
            #expect(controller.fetchedObjects?.count == 2)
            _ = try child.fetch(FetchRequest<Node>())
            try child.save()
            context.rollback()
            #expect(node.isDeleted)
            #expect(controller.fetchedObjects?.map(\.label) == ["other"])
            #expect(delegate.faults == [])
        }
    }
}
