@testable import Cambium
@testable import CambiumRecords
import CambiumEngine
import EverythingModel
import Foundation
import Testing

/// Who hears of a batch operation, and how it is repaired where nobody does.
@Suite(.onServers)
struct BatchMergingTests {
    /// A file with three nodes, and a context that has read them and shows them in a list.
    private func withNodes(
        _ body: (PersistentContainer, ManagedObjectContext, [Node]) throws -> Void
    ) throws {
        try withContainer(Everything.model, on: .lasting) { container in
            let writer = container.newContext()
            for number in 0..<3 { _ = Node(in: writer, label: "old", number: Int64(number)) }
            try writer.save()
            let context = container.newContext()
            let nodes = try context.fetch(Node.fetchRequest().sorted(by: Node.number))
            #expect(nodes.map(\.label) == ["old", "old", "old"])
            try body(container, context, nodes)
        }
    }

    private let update = BatchUpdateRequest<Node>().filter(Node.number > 0)
        .set(Node.label, to: "new")

    private func controller(
        _ context: ManagedObjectContext
    ) throws -> (FetchedResultsController<Node>, MirrorDelegate<Node>) {
        let controller = FetchedResultsController(
            Node.fetchRequest().filter(Node.number < 10).sorted(by: Node.number), in: context)
        try controller.performFetch()
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        return (controller, delegate)
    }

    // MARK: By default

    @Test func `rule 75, bettered: contexts and their controllers hear of a batch update`() throws {
        try withNodes { container, context, nodes in
            let (controller, delegate) = try controller(context)
            context.automaticallyMergesChangesFromParent = true
            try container.newContext().execute(update)
            context.mergePending()
            #expect(nodes.map(\.label) == ["old", "new", "new"])
            #expect(delegate.words(\.label) == ["update new", "update new"])
            withExtendedLifetime(controller) {}
        }
    }

    @Test func `rule 75, bettered: the context that executes it knows at once`() throws {
        try withNodes { _, context, nodes in
            let (controller, delegate) = try controller(context)
            try context.execute(update)
            #expect(nodes.map(\.label) == ["old", "new", "new"])
            #expect(delegate.words(\.label) == ["update new", "update new"])
            delegate.forget()
            try context.execute(
                BatchInsertRequest<Node>(0..<1) { node, _ in
                    node.label = "made"
                    node.number = 5
                })
            try context.execute(BatchDeleteRequest<Node>().filter(Node.number == 0))
            #expect(delegate.words(\.label) == ["insert made", "delete old"])
            #expect(controller.fetchedObjects?.map(\.label) == ["new", "new", "made"])
            #expect(delegate.faults == [])
            // Nothing of it is in the way of a save.
            nodes[1].label = "mine"
            try context.save()
        }
    }

    @Test func `a merged update leaves unsaved changes on top, and raises no conflict`() throws {
        try withNodes { container, context, nodes in
            nodes[1].number = 7
            nodes[2].label = "mine"
            try container.newContext().execute(update)
            context.mergePending()
            #expect(nodes.map(\.label) == ["old", "new", "mine"])
            #expect(nodes[1].number == 7)
            try context.save()
            let saved = try container.newContext()
                .fetch(Node.fetchRequest().sorted(by: Node.label))
            #expect(saved.map(\.label) == ["mine", "new", "old"])
        }
    }

    // MARK: Together with saves of which the context does not know yet

    private static let operations = ["set", "compute", "upsert"]

    @Test(arguments: operations, [false, true])
    func `a save that is merged after an operation brings nothing old`(
        _ operation: String, _ mergesByItself: Bool
    ) throws {
        try withNodes { container, context, nodes in
            context.automaticallyMergesChangesFromParent = mergesByItself
            let (controller, delegate) = try controller(context)
            let sibling = container.newContext()
            let same: Node = try sibling.get(nodes[1].objectID)
            same.label = "sibling"
            try sibling.save()
            let all = BatchUpdateRequest<Node>()
            switch operation {
            case "set": try context.execute(all.filter(Node.number == 1).set(Node.number, to: 5))
            case "compute": try context.execute(all.set(Node.number, to: Node.number + 4))
            default: try context.execute(all.set(Node.label, to: "batch"))
            }
            context.mergePending()
            let reader = container.newContext()
            let stored: Node = try reader.get(nodes[1].objectID)
            #expect(nodes[1].label == stored.label)
            #expect(nodes[1].number == stored.number)
            #expect(delegate.faults == [])
            #expect(
                controller.fetchedObjects?.map(\.number).sorted()
                    == nodes.map(\.number).sorted())
            nodes[1].label = "mine"
            try context.save()
        }
    }

    @Test(arguments: [false, true])
    func `what an operation deleted does not come back with a save before it`(
        _ mergesByItself: Bool
    ) throws {
        try withNodes { container, context, nodes in
            context.automaticallyMergesChangesFromParent = mergesByItself
            let (controller, delegate) = try controller(context)
            let sibling = container.newContext()
            let same: Node = try sibling.get(nodes[1].objectID)
            same.number = 8
            try sibling.save()
            try context.execute(BatchDeleteRequest<Node>().filter(Node.number == 8))
            context.mergePending()
            #expect(controller.fetchedObjects?.map(\.number) == [0, 2])
            #expect(delegate.words(\.label).filter { $0.hasPrefix("insert") } == [])
            #expect(delegate.faults == [])
            #expect(nodes[1].isDeleted)
        }
    }

    @Test func `what was saved here is not deleted by news of before`() throws {
        try withNodes { container, context, nodes in
            let (controller, delegate) = try controller(context)
            let sibling = container.newContext()
            let same: Node = try sibling.get(nodes[1].objectID)
            same.label = "sibling"
            try sibling.save()
            context.mergePolicy = .objectTrump
            context.delete(nodes[1])
            try context.save()
            context.mergePending()
            #expect(controller.fetchedObjects?.map(\.number) == [0, 2])
            #expect(delegate.faults == [])
            #expect(context.registeredObject(for: nodes[1].objectID) == nil)
        }
    }

    @Test func `more rows than are handed on are heard of too`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "first")
            try context.save()
            let (controller, delegate) = try controller(context)
            let other = container.newContext()
            try other.execute(
                BatchInsertRequest<Node>(0..<BatchChanges.attachedRows) { node, number in
                    node.number = Int64(number) + 20
                })
            try other.execute(BatchUpdateRequest<Node>().set(Node.label, to: "batch"))
            context.mergePending()
            #expect(node.label == "batch")
            #expect(delegate.words(\.label) == ["update batch"])
            withExtendedLifetime(controller) {}
        }
    }

    @Test func `of more rows than are listed it is known that there were some`() throws {
        try withNodes { container, context, nodes in
            let (controller, delegate) = try controller(context)
            let coordinator = container.coordinator
            let entity = try #require(coordinator.model["Node"])
            let store = coordinator.storeIdentifier(ofRoot: entity.rootIndex)
            for listsAll in [false, true] {
                var changes = BatchChanges(
                    coordinator.model, store: store, listsAll: listsAll, attachesRows: true)
                changes.clear(SlotSet(0), Array(0..<Int64(EntityChanges.maximumListedRows)), entity)
                #expect(changes.entities?.first?.updated.count == EntityChanges.maximumListedRows)
                changes.delete([-1], entity)
                #expect(changes.entities == nil && !changes.isEmpty)
                #expect(RemoteChanges(changes).deleted.count == (listsAll ? 1 : 0))
            }
            // What contexts do then: they read everything anew.
            try container.newContext().execute(update, merging: .none)
            _ = coordinator.publishLoss(from: context.identifier, store: store)
            context.mergePending()
            #expect(nodes.map(\.label) == ["old", "new", "new"])
            #expect(controller.fetchedObjects?.map(\.label) == ["old", "new", "new"])
            #expect(delegate.faults == [])
        }
    }

    @Test func `a child's operation goes to the store, and it hears of it through its parent`()
        throws
    {
        try withFamily { family in
            let unsaved = Node(in: family.child, label: "unsaved")
            try family.child.execute(
                BatchUpdateRequest<Node>().set(Node.label, to: "batch"))
            #expect(family.node.label == "batch" && family.same.label == "batch")
            #expect(unsaved.label == "unsaved" && unsaved.isInserted)
            #expect(!family.parent.hasChanges)
            try family.child.execute(BatchDeleteRequest<Node>())
            #expect(family.node.isDeleted && family.same.isDeleted)
        }
    }

    @MainActor
    @Test func `the view context is told without being asked`() async throws {
        try await withContainer(Everything.model, on: .lasting) { container in
            let context = container.viewContext
            let node = Node(in: context, label: "old")
            try context.save()
            try await container.performBackgroundTask { context in
                _ = try context.execute(BatchUpdateRequest<Node>().set(Node.label, to: "new"))
            }
            await Task.yield()
            context.mergePending()
            #expect(node.label == "new")
        }
    }

    // MARK: merging: .none

    @Test func `rule 75: with merging .none nobody notices, and a refresh shows the row cache`()
        throws
    {
        try withNodes { _, context, nodes in
            let (controller, delegate) = try controller(context)
            try context.execute(update, merging: .none)
            #expect(nodes.map(\.label) == ["old", "old", "old"])
            #expect(delegate.told.isEmpty)
            context.refresh(nodes[1], mergeChanges: false)
            #expect(nodes[1].isFault)
            #expect(nodes[1].label == "old")
            context.refreshAllObjects()
            #expect(nodes.map(\.label) == ["old", "old", "old"])
            withExtendedLifetime(controller) {}
        }
    }

    @Test func `rule 75: mergeChanges(fromRemoteContextSave:into:) shows the new values and tells`()
        throws
    {
        try withNodes { _, context, nodes in
            let (controller, delegate) = try controller(context)
            context.refresh(nodes[2], mergeChanges: false)  // its row is in the row cache
            var update = update
            update.resultType = .objectIDs
            let result = try context.execute(update, merging: .none)
            ManagedObjectContext.mergeChanges(
                fromRemoteContextSave: result.changes, into: [context])
            #expect(nodes.map(\.label) == ["old", "new", "new"])
            #expect(delegate.words(\.label).sorted() == ["update new", "update new"])
            // The row cache knows too.
            context.refreshAllObjects()
            #expect(nodes.map(\.label) == ["old", "new", "new"])
            nodes[1].label = "mine"
            try context.save()
            withExtendedLifetime(controller) {}
        }
    }

    @Test func `rule 75: a fetch brings the row cache up to date, and a refresh then the objects`()
        throws
    {
        try withNodes { _, context, nodes in
            try context.execute(update, merging: .none)
            context.refresh(nodes[1], mergeChanges: false)
            #expect(nodes[1].label == "old")
            context.refreshAllObjects()
            _ = try context.fetch(Node.fetchRequest())
            context.refreshAllObjects()
            #expect(nodes.map(\.label) == ["old", "new", "new"])
        }
    }

    @Test func `rule 75: inserts and deletes with merging .none are repaired the same way`() throws
    {
        try withNodes { _, context, nodes in
            let (controller, delegate) = try controller(context)
            var insert = BatchInsertRequest<Node>(0..<1) { node, _ in node.number = 4 }
            insert.resultType = .objectIDs
            var delete = BatchDeleteRequest<Node>().filter(Node.number == 0)
            delete.resultType = .objectIDs
            let inserted = try context.execute(insert, merging: .none)
            let deleted = try context.execute(delete, merging: .none)
            #expect(controller.fetchedObjects?.map(\.number) == [0, 1, 2])
            #expect(!nodes[0].isDeleted)
            ManagedObjectContext.mergeChanges(
                fromRemoteContextSave: RemoteChanges(
                    inserted: inserted.changes.inserted, deleted: deleted.changes.deleted),
                into: [context])
            #expect(controller.fetchedObjects?.map(\.number) == [1, 2, 4])
            #expect(nodes[0].isDeleted)
            #expect(delegate.faults == [])
        }
    }

    // MARK: Rule 76

    @Test func `rule 76: the save of an object that was read before conflicts`() throws {
        try withNodes { container, context, nodes in
            nodes[1].number = 7
            try container.newContext().execute(update, merging: .none)
            let error = #expect(throws: ConflictError.self) { try context.save() }
            #expect(error?.conflicts.map(\.objectID) == [nodes[1].objectID])
            context.mergePolicy = .objectTrump
            try context.save()
            #expect(nodes[1].label == "new" && nodes[1].number == 7)
        }
    }

    @Test func `rule 76: also where a batch delete or a nullified link is in the way`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let nodes = (0..<2).map { Node(in: context, label: "\($0)") }
            nodes[0].next = nodes[1]
            try context.save()
            nodes[0].label = "mine"
            try container.newContext().execute(
                BatchDeleteRequest<Node>(objectIDs: [nodes[1].objectID]), merging: .none)
            #expect(throws: ConflictError.self) { try context.save() }
        }
    }
}
