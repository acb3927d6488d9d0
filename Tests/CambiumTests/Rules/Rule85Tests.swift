import Cambium
import EverythingModel
import Testing

/// The save of a child context.
@Suite(.onServers)
struct Rule85Tests {
    @Test(arguments: StoreKind.kinds)
    func `rule 85: a child's save makes its parent dirty and leaves the store as it was`(
        _ kind: StoreKind
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let parent = container.newContext()
            let node = Node(in: parent, label: "base")
            try parent.save()
            let child = parent.newChildContext()
            try child.get(node.objectID, as: Node.self).label = "changed"
            let new = Node(in: child, label: "new")
            #expect(!parent.hasChanges)
            try child.save()
            #expect(parent.hasChanges && !child.hasChanges)
            #expect(parent.updatedObjects == [node])
            #expect(parent.insertedObjects.map(\.objectID) == [new.objectID])
            let reader = container.newContext()
            #expect(try reader.fetch(Node.fetchRequest()).map(\.label) == ["base"])

            try parent.save()
            #expect(!parent.hasChanges)
            let other = container.newContext()
            let found = try other.fetch(Node.fetchRequest().sorted(by: Node.label))
            #expect(found.map(\.label) == ["changed", "new"])
        }
    }

    /// In Core Data the child's object keeps an identity after the root's save by which the store's
    /// object cannot be found, unless a permanent one was obtained before.
    @Test func `rule 85, bettered: an identity is final, temporary until the root saves`()
        throws
    {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let child = parent.newChildContext()
            let node = Node(in: child)
            let id = node.objectID
            #expect(id.isTemporary)
            try child.save()
            #expect(node.objectID.isTemporary && !node.isInserted)
            #expect(parent.insertedObjects.first?.objectID.isTemporary == true)
            try parent.save()
            #expect(!node.objectID.isTemporary)
            #expect(node.objectID == id)
            #expect(try container.newContext().existingObject(with: id).objectID == id)
        }
    }
}
