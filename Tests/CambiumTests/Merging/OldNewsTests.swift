import Cambium
import EverythingModel
import Testing

/// A context that merges by hand comes to know of its own batch operation at once, and of what
/// others saved before it only then: what is older by then.
struct OldNewsTests {
    /// A context that merges by hand, an object in a box that it has read, and another context
    /// that has it, too.
    private func withNode(
        _ body: (ManagedObjectContext, Node, _ sibling: ManagedObjectContext, Node) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let (context, sibling) = (container.newContext(), container.newContext())
            let node = Node(in: sibling, label: "base", box: Box(in: sibling))
            try sibling.save()
            let same: Node = try context.get(node.objectID)
            #expect(same.label == "base" && same.box != nil)
            try body(context, same, sibling, node)
        }
    }

    @Test func `the row of an older save does not fill what a later operation made a fault`()
        throws
    {
        try withNode { context, node, sibling, same in
            same.label = "sibling"
            try sibling.save()
            // Takes the link out of the row, and tells that it did, but not the row.
            try context.execute(BatchDeleteRequest<Box>())
            #expect(node.isFault)
            context.mergePending()
            #expect(node.box == nil)
            #expect(node.label == "sibling")
            // It has the version of the store, too.
            node.label = "mine"
            try context.save()
        }
    }

    @Test func `nor where the change sets are handed over in the wrong order`() throws {
        try withNode { context, node, sibling, same in
            var changeSets: [ChangeSet] = []
            let token = sibling.observe(.didSave) { changeSets += $0.changeSets }
            for label in ["second", "third"] {
                same.label = label
                try sibling.save()
            }
            context.mergeChanges(from: changeSets[1])
            #expect(node.label == "third")
            context.refresh(node, mergeChanges: false)
            context.mergeChanges(from: changeSets[0])
            #expect(node.label == "third")
            withExtendedLifetime(token) {}
        }
    }

    @Test func `rows that a later operation deleted are not told as changed or new`() throws {
        try withContainer(Everything.model) { container in
            let (sibling, context) = (container.newContext(), container.newContext())
            let node = Node(in: sibling, label: "base")
            try sibling.save()
            let id = node.objectID
            context.mergePending()
            node.label = "changed"
            let new = Node(in: sibling, label: "new")
            let staying = Node(in: sibling, label: "staying")
            try sibling.save()

            try context.execute(
                BatchDeleteRequest<Node>(objectIDs: [id, new.objectID]))
            // The id of a row that is gone makes an object, of which nothing is known.
            let ghost = context.object(with: id)
            var told: [ObjectsDidChange] = []
            let token = context.observe(.objectsDidChange) { told.append($0) }
            context.mergePending()
            #expect(told.flatMap { $0.inserted.map(\.objectID) } == [staying.objectID])
            #expect(told.allSatisfy { $0.refreshed.isEmpty && $0.updated.isEmpty })
            #expect(context.registeredObject(for: new.objectID) == nil)
            withExtendedLifetime((token, ghost)) {}
        }
    }
}
