import Cambium
import EverythingModel
import Testing

/// Lists that are read while an object, which others have put there, is elsewhere by an unsaved
/// change.
struct LeftListsTests {
    enum End: CaseIterable {
        case refresh, undo, merge, rollback, save
    }

    /// Two boxes and a node, which a context puts into one of them and others into the other one.
    private func withMovedNode(
        merging: Bool, _ body: (ManagedObjectContext, [Box], Node) throws -> Void
    ) throws {
        let container = try PersistentContainer(model: Everything.model, at: .memory)
        let (others, context) = (container.newContext(), container.newContext())
        context.automaticallyMergesChangesFromParent = merging
        context.undoManager = ContextUndoManager()
        let boxes = [Box(in: others), Box(in: others)]
        let node = Node(in: others)
        try others.save()
        let same: [Box] = try boxes.map { try context.get($0.objectID) }
        let moved: Node = try context.get(node.objectID)
        moved.box = same[0]
        context.processPendingChanges()
        node.box = boxes[1]
        try others.save()
        try body(context, same, moved)
    }

    @Test(arguments: [false, true], End.allCases)
    func `lists show the object when it shows what others saved`(merging: Bool, end: End) throws {
        try withMovedNode(merging: merging) { context, boxes, node in
            #expect(throws: ConflictError.self) { try context.save() }
            #expect(boxes.map(\.nodes.count) == [1, 0])
            switch end {
            case .refresh: context.refresh(node, mergeChanges: false)
            case .undo: context.undo()
            case .merge:
                context.refresh(node, mergeChanges: true)
                node.box = nil
                context.mergePending()
                context.refresh(node, mergeChanges: false)
            case .rollback: context.rollback()
            case .save:
                context.mergePolicy = .storeTrump
                try context.save()
            }
            // One that does not merge learns of it when it does.
            if !merging { context.mergePending() }
            #expect(node.box == boxes[1])
            #expect(boxes.map { Array($0.nodes) } == [[], [node]])
            try context.save()
            #expect(boxes.map { Array($0.nodes) } == [[], [node]])
        }
    }
}
