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
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
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

    /// The list has a change of its own: the object was put there and taken out again.
    @Test(arguments: End.allCases)
    func `a list that the object has left again shows it, too`(end: End) throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let (others, context) = (container.newContext(), container.newContext())
        context.automaticallyMergesChangesFromParent = true
        context.undoManager = ContextUndoManager()
        let (first, second) = (Box(in: others), Box(in: others))
        let node = Node(in: others, box: first)
        try others.save()
        let boxes: [Box] = try [first, second].map { try context.get($0.objectID) }
        let moved: Node = try context.get(node.objectID)
        var told: Set<ManagedObject> = []
        let token = context.observe(.objectsDidChange) {
            told.formUnion($0.updated.union($0.refreshed))
        }
        moved.box = boxes[1]
        moved.box = nil
        node.box = second
        try others.save()
        _ = try context.count(for: Node.fetchRequest())
        #expect(moved.box == nil && boxes.map(\.nodes.count) == [0, 0])
        told = []
        switch end {
        case .refresh: context.refresh(moved, mergeChanges: false)
        case .undo: context.undo()
        case .merge: context.mergePending()
        case .rollback: context.rollback()
        case .save:
            context.mergePolicy = .storeTrump
            try context.save()
        }
        context.processPendingChanges()
        if end == .merge {
            #expect(moved.box == nil && boxes.map(\.nodes.count) == [0, 0])
        } else {
            #expect(moved.box == boxes[1])
            #expect(boxes.map { Array($0.nodes) } == [[], [moved]])
            #expect(told.contains(boxes[1]))
        }
        #expect(context.invariantFaults() == [])
        withExtendedLifetime(token) {}
    }
}
