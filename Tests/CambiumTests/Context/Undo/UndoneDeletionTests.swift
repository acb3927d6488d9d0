import Cambium
import EverythingModel
import Testing

/// An undo of a deletion after other contexts have changed the deleted object.
struct UndoneDeletionTests {
    /// The order in which others save and the context changes and deletes a node, and whether it
    /// tries to save that.
    enum Order: CaseIterable { case savedFirst, savedBetween, savedLast, refused }

    @Test(arguments: Order.allCases, [false, true])
    func `once it is taken back with a change, what others saved shows`(
        _ order: Order, _ merges: Bool
    ) throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let first = container.newContext()
        let id = Node(in: first, label: "base", number: 0).objectID
        try first.save()
        let (context, others) = (container.newContext(), container.newContext())
        context.automaticallyMergesChangesFromParent = merges
        context.undoManager = ContextUndoManager()
        let node: Node = try context.get(id)
        #expect(node.number == 0)
        func saveElsewhere() throws {
            (try others.get(id) as Node).number = 1
            try others.save()
        }
        if order == .savedFirst { try saveElsewhere() }
        node.label = "changed"
        node.number = 2
        if order == .savedBetween || order == .refused {
            try saveElsewhere()
            // Which leaves out what contradicts the change.
            _ = try context.fetch(FetchRequest<Node>())
        }
        context.delete(node)
        if order == .savedLast { try saveElsewhere() }
        if order == .refused {
            #expect(throws: ConflictError.self) { try context.save() }
        } else {
            context.mergePending()
        }
        context.undo()
        context.rollback()
        context.mergePending()
        #expect(node.number == 1 && node.label == "base" && !context.hasChanges)
        node.number += 1
        try context.save()
    }
}
