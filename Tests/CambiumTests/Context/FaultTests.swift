import Cambium
import EverythingModel
import Testing

/// Rows that are not there (any more) never trap, and the next save says so.
struct FaultTests {
    /// A file with a node that another program has deleted, and a context that does not know it.
    private func withLostNode(_ body: (ManagedObjectContext, ObjectID) throws -> Void) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = container.newContext()
            let node = Node(in: context, label: "lost", number: 5)
            try context.save()
            try execute(#"DELETE FROM "Node""#, in: path)
            try body(container.newContext(), node.objectID)
        }
    }

    /// Core Data lets the save go through by default.
    @Test func `rule 52: a fault whose row is gone shows placeholders, and the next save throws`()
        throws
    {
        try withLostNode { context, id in
            let node: Node = try context.get(id)
            #expect(node.label == "")
            #expect(node.number == 0)
            #expect(node.box == nil)
            #expect(node.tags.isEmpty)
            #expect(node.isDeleted)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .missingRow)
            try context.save()
        }
    }

    @Test func `rule 52: a handler hears of a fault whose row is gone, and the save goes through`()
        throws
    {
        try withLostNode { context, id in
            var lost: [ObjectID] = []
            context.onInaccessibleFault = { id, _ in lost.append(id) }
            let node: Node = try context.get(id)
            _ = node.label
            #expect(lost == [id])
            try context.save()
        }
    }

    @Test func `rule 52: a fault whose row is gone may count as deleted`() throws {
        try withLostNode { context, id in
            context.shouldDeleteInaccessibleFaults = true
            let node: Node = try context.get(id)
            #expect(node.label == "")
            #expect(node.isDeleted)
            try context.save()
            let error = #expect(throws: StoreError.self) { try context.existingObject(with: id) }
            #expect(error?.code == .missingRow)
        }
    }

    @Test func `setting a value of an object whose row is gone does nothing`() throws {
        try withLostNode { context, id in
            let node: Node = try context.get(id)
            node.label = "new"
            #expect(node.label == "")
            #expect(!node.hasChanges)
            #expect(throws: StoreError.self) { try context.save() }
        }
    }

    @Test func `deleting an object whose row is gone is no conflict`() throws {
        try withLostNode { context, id in
            context.onInaccessibleFault = { _, _ in }
            context.delete(context.object(with: id))
            try context.save()
        }
    }

    @Test func `a required to-one that was never set is a ghost`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let part = try #require(context.insertObject(ofEntity: "Part") as? Part)
            let ghost = part.node
            #expect(ghost.isDeleted)
            #expect(ghost.label == "")
            #expect(ghost.parts.isEmpty)
            #expect(ghost.next == nil)
            ghost.label = "nobody hears"
            #expect(ghost.label == "")
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .missing)
            #expect(error?.property == "node")
        }
    }

    @Test func `a ghost cannot be linked to`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let part = try #require(context.insertObject(ofEntity: "Part") as? Part)
            let other = Part(in: context, node: part.node)
            #expect(other.node.isDeleted)
            let error = #expect(throws: (any Error).self) { try context.save() }
            #expect(error is ValidationErrors || error is StoreError)
        }
    }

    @Test(.onSQLite("A server lets nobody leave a key of a row that is not there."))
    func `a required to-one whose row is gone shows placeholders`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = container.newContext()
            let part = Part(in: context, node: Node(in: context, label: "lost"))
            try context.save()
            try execute("PRAGMA foreign_keys = OFF; DELETE FROM Node", in: path)
            let other = container.newContext()
            let read: Part = try other.get(part.objectID)
            let lost = read.node
            #expect(lost.label == "")
            #expect(lost.isDeleted)
            #expect(throws: StoreError.self) { try other.save() }
        }
    }

    @Test func `faults are read by deletion, so that their rows really go`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let box = Box(in: context)
            try context.save()
            let other = container.newContext()
            other.delete(other.object(with: box.objectID))
            try other.save()
            #expect(try container.newContext().count(for: Box.fetchRequest()) == 0)
        }
    }

    // MARK: Reading at once

    @Test func `values that are asked for are read together, and what is gone is thrown at once`()
        throws
    {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = container.newContext()
            let ids = try ["a", "b", "c"].map { label in
                let node = Node(in: context, label: label)
                try context.save()
                return node.objectID
            }
            let reader = container.newContext()
            let nodes = try ids.map { try reader.get($0, as: Node.self) }
            let report = try reader.reads { try reader.loadValues(of: nodes) }.report
            #expect(report.count == 1)
            #expect(nodes.allSatisfy { !$0.isFault })
            nodes[0].label = "changed"
            try reader.loadValues(of: nodes)
            #expect(nodes[0].label == "changed")

            try execute(#"DELETE FROM "Node" WHERE "label" = 'b'"#, in: path)
            let late = container.newContext()
            let faults = try ids.map { try late.get($0, as: Node.self) }
            let error = #expect(throws: StoreError.self) { try late.loadValues(of: faults) }
            #expect(error?.code == .missingRow)
            // It was said, and the save has nothing to add.
            try late.save()
            let foreign = #expect(throws: StoreError.self) { try late.loadValues(of: nodes) }
            #expect(foreign?.code == .objectOfAnotherContext)
        }
    }
}
