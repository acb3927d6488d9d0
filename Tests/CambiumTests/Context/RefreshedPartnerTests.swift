import Cambium
import EverythingModel
import Testing

/// Refreshing one of two objects that an unsaved change has linked.
struct RefreshedPartnerTests {
    private func withUnsavedLink(
        _ body: (ManagedObjectContext, Box, Node) throws -> Void
    ) throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let context = container.newContext()
        let (box, node) = (Box(in: context), Node(in: context))
        try context.save()
        node.box = box
        context.processPendingChanges()
        try body(context, box, node)
    }

    @Test func `the change that the other one keeps stays, and shows`() throws {
        try withUnsavedLink { context, box, node in
            context.refresh(box, mergeChanges: false)
            #expect(box.isFault && box.hasChanges)
            let changes = box.changedValues()
            #expect(changes["nodes"] == .unread(added: [node.objectID], removed: []))
            #expect(Array(box.nodes) == [node])
            try context.save()
            #expect(!box.hasChanges && Array(box.nodes) == [node])
        }
    }

    @Test func `who keeps the change takes it from the other one, too`() throws {
        try withUnsavedLink { context, box, node in
            context.refresh(node, mergeChanges: false)
            #expect(node.box == nil && box.nodes.isEmpty)
            #expect(!box.hasChanges && !context.hasChanges)
            #expect(context.updatedObjects.isEmpty)
        }
    }

    @Test func `of two partners, the one that is refreshed has it again`() throws {
        try withNodes(3) { context, nodes, container in
            let (first, second, node) = (nodes[0], nodes[1], nodes[2])
            first.next = node
            try context.save()
            second.next = node
            #expect(first.next == nil && node.previous == second)
            context.refresh(first, mergeChanges: false)
            #expect(first.next == node && second.next == nil && node.previous == first)
            context.processPendingChanges()
            try context.save()
            #expect(context.invariantFaults() == [])
        }
    }

    @Test func `what was led away by a deletion is led away again`() throws {
        try withUnsavedLink { context, box, node in
            try context.save()
            context.delete(box)
            context.processPendingChanges()
            context.refresh(node, mergeChanges: false)
            context.processPendingChanges()
            #expect(node.box == nil)
            try context.save()
            #expect(node.box == nil && !context.hasChanges)
        }
    }

    @Test func `what else the other one has changed stays`() throws {
        try withUnsavedLink { context, box, node in
            let second = Node(in: context)
            second.box = box
            context.refresh(node, mergeChanges: false)
            #expect(box.hasChanges && context.updatedObjects == [box])
            try context.save()
            #expect(Array(box.nodes) == [second])
        }
    }
}
