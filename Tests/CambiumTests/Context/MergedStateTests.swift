@testable import Cambium
import EverythingModel
import Testing

/// What is registered, deleted and a fault after a merge and a refresh: the differences from Core
/// Data that ComingFromCoreData.md lists.
struct MergedStateTests {
    private func withNode(
        _ body: (PersistentContainer, ManagedObjectContext, Node) throws -> Void
    ) throws {
        try withContainer(Everything.model, on: .lasting) { container in
            let context = container.newContext()
            context.automaticallyMergesChangesFromParent = true
            let node = Node(in: context, label: "old", number: 1)
            try context.save()
            try body(container, context, node)
        }
    }

    @Test func `a merged deletion is no change of this context`() throws {
        try withNode { container, context, node in
            let sibling = container.newContext()
            sibling.delete(try sibling.get(node.objectID) as Node)
            try sibling.save()
            context.mergePending()
            #expect(node.isDeleted)
            #expect(context.deletedObjects.isEmpty && !context.hasChanges)
            #expect(context.registeredObject(for: node.objectID) == nil)
            try context.save()
        }
    }

    @Test func `merged insertions are told by their identities, and not registered`() throws {
        try withNode { container, context, node in
            var inserted: [Set<ObjectID>] = []
            let token = context.observe(.didMergeChangesObjectIDs) { inserted.append($0.inserted) }
            let sibling = container.newContext()
            let other = Node(in: sibling, label: "new", number: 2)
            try sibling.save()
            context.mergePending()
            #expect(inserted == [[other.objectID]])
            #expect(context.registeredObject(for: other.objectID) == nil)
            #expect(context.registeredObjects == [node])
            withExtendedLifetime(token) {}
        }
    }

    @Test func `a row fetched before its insertion was merged is told as refreshed`() throws {
        try withNode { container, context, _ in
            context.automaticallyMergesChangesFromParent = false
            let sibling = container.newContext()
            let theirs = Node(in: sibling, label: "new", number: 2)
            try sibling.save()
            let other: Node = try context.get(theirs.objectID)
            #expect(other.label == "new")
            theirs.label = "newer"
            try sibling.save()
            var told: [ObjectsDidChange] = []
            let token = context.observe(.objectsDidChange) { told.append($0) }
            context.mergePending()
            #expect(told.map(\.inserted) == [[]] && told.map(\.refreshed) == [[other]])
            #expect(other.label == "newer")
            withExtendedLifetime(token) {}
        }
    }

    @Test(arguments: [false, true])
    func `a refresh leaves an object alone that was never saved`(_ mergesChanges: Bool) throws {
        try withNode { _, context, _ in
            let new = Node(in: context, label: "new", number: 2)
            context.refresh(new, mergeChanges: mergesChanges)
            #expect(!new.isFault && new.isInserted && new.label == "new")
            try context.save()
            context.refresh(new, mergeChanges: false)
            #expect(new.isFault && new.label == "new")
        }
    }

    @Test func `after an unmerged batch, a refresh that keeps changes reads the row`() throws {
        try withNode { container, context, node in
            let changed = Node(in: context, label: "old", number: 2)
            try context.save()
            try container.newContext().execute(
                BatchUpdateRequest<Node>().set(Node.label, to: "new"), merging: .none)
            context.refresh(node, mergeChanges: false)
            #expect(node.label == "old", "The row cache was not notified")
            context.refresh(node, mergeChanges: true)
            #expect(node.label == "old", "Without changes it becomes a fault as well")
            changed.number = 3
            context.refresh(changed, mergeChanges: true)
            #expect(changed.label == "new" && changed.number == 3)
            try context.save()
        }
    }
}
