import Cambium
import EverythingModel
import Testing

/// A row that was deleted and comes back is another one to those who have read it before.
struct RebirthTests {
    private func withNode(
        _ body: (PersistentContainer, ObjectID) throws -> Void
    ) throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let maker = container.newContext()
        let node = Node(in: maker, label: "new")
        try maker.save()
        try body(container, node.objectID)
    }

    private func context(_ container: PersistentContainer, merges: Bool) -> ManagedObjectContext {
        let context = container.newContext()
        context.automaticallyMergesChangesFromParent = merges
        return context
    }

    @Test(arguments: 0..<4, [false, true])
    func `a row that a policy inserts again is not what others have read`(
        _ saves: Int, _ merges: Bool
    ) throws {
        try withNode { container, id in
            let winner = context(container, merges: false)
            let ours = try winner.existingObject(with: id, as: Node.self)
            let others = container.newContext()
            let theirs = try others.existingObject(with: id, as: Node.self)
            for number in 0..<saves {
                theirs.label = "saved \(number)"
                try others.save()
            }
            let reader = context(container, merges: merges)
            let read = try reader.existingObject(with: id, as: Node.self)
            read.number = 7
            others.delete(theirs)
            try others.save()
            winner.mergePolicy = .objectTrump
            ours.number = 99
            try winner.save()
            #expect(throws: ConflictError.self) { try reader.save() }
            let found = try container.newContext().existingObject(with: id, as: Node.self)
            #expect(found.number == 99)
            // Whoever has brought it back can go on with it.
            ours.number = 100
            try winner.save()
        }
    }

    @Test(arguments: [false, true])
    func `neither is one whose deletion is undone`(_ merges: Bool) throws {
        try withNode { container, id in
            let reader = context(container, merges: merges)
            let read = try reader.existingObject(with: id, as: Node.self)
            read.number = 7
            let others = container.newContext()
            let undoManager = ContextUndoManager()
            others.undoManager = undoManager
            let theirs = try others.existingObject(with: id, as: Node.self)
            others.delete(theirs)
            try others.save()
            others.undo()
            theirs.number = 99
            try others.save()
            #expect(throws: ConflictError.self) { try reader.save() }
            theirs.number = 100
            try others.save()
            let found = try container.newContext().existingObject(with: id, as: Node.self)
            #expect(found.number == 100)
        }
    }

    @Test func `a deletion that gives way leaves nothing to be merged again`() throws {
        try withNode { container, id in
            let context = context(container, merges: true)
            let node = try context.existingObject(with: id, as: Node.self)
            let others = container.newContext()
            let theirs = try others.existingObject(with: id, as: Node.self)
            context.mergePolicy = .storeTrump
            context.delete(node)
            theirs.number = 11
            try others.save()
            try context.save()
            #expect(!node.isDeleted && node.number == 11)
            context.mergePolicy = .error
            node.label = "mine"
            theirs.number = 12
            theirs.label = "theirs"
            try others.save()
            // Leaves out what contradicts the event's own change, and has to know of it later.
            _ = try context.fetch(Node.fetchRequest())
            context.mergePending()
            #expect(node.number == 12 && node.label == "mine")
            try context.save()
        }
    }

    @Test func `a deletion that is rolled back leaves nothing to be merged again`() throws {
        try withNode { container, id in
            let context = context(container, merges: true)
            let node = try context.existingObject(with: id, as: Node.self)
            let others = container.newContext()
            let theirs = try others.existingObject(with: id, as: Node.self)
            context.delete(node)
            theirs.number = 11
            try others.save()
            context.mergePending()
            context.rollback()
            #expect(node.number == 11)
            node.label = "mine"
            theirs.label = "theirs"
            try others.save()
            #expect(throws: ConflictError.self) { try context.save() }
            context.mergePending()
            try context.save()
            #expect(
                try container.newContext().existingObject(with: id, as: Node.self).label == "mine")
        }
    }
}
