import Cambium
import EverythingModel
import Testing

/// Undo in a parent and in its child.
struct ChildUndoTests {
    @Test func `a child's save is undone and redone in the parent as one step`() throws {
        try withFamily { family in
            let manager = ContextUndoManager()
            family.parent.undoManager = manager
            let (parent, child) = (family.parent, family.child)
            let box = Box(in: child, name: "box")
            family.same.box = box
            family.same.label = "changed"
            child.processPendingChanges()
            family.same.tags.insert(Topic(in: child, name: "topic"))
            try child.save()
            #expect(parent.insertedObjects.count == 2)
            manager.undo()
            #expect(family.node.label == "base")
            #expect(family.node.box == nil && family.node.tags.isEmpty)
            #expect(!parent.hasChanges && !manager.canUndo)
            manager.redo()
            #expect(family.node.label == "changed")
            #expect(family.node.box?.name == "box")
            #expect(family.node.tags.map(\.name) == ["topic"])
            try parent.save()
            let reader = family.container.newContext()
            let read: Node = try reader.get(family.node.objectID)
            #expect(read.box?.objectID == box.objectID)
        }
    }

    @Test func `what was changed in the parent before is a step of its own`() throws {
        try withFamily { family in
            let manager = ContextUndoManager()
            family.parent.undoManager = manager
            family.node.number = 2
            family.same.label = "changed"
            try family.child.save()
            manager.undo()
            #expect((family.node.label, family.node.number) == ("base", 2))
            manager.undo()
            #expect(family.node.number == 1)
        }
    }

    @Test func `a deletion by a child is undone in the parent`() throws {
        try withFamily { family in
            let box = Box(in: family.parent)
            family.node.box = box
            let part = Part(in: family.parent, node: family.node)
            try family.parent.save()
            let manager = ContextUndoManager()
            family.parent.undoManager = manager
            family.child.delete(family.same)
            try family.child.save()
            #expect(family.parent.deletedObjects.count == 2)
            manager.undo()
            #expect(!family.parent.hasChanges)
            #expect(Array(box.nodes) == [family.node])
            #expect(Array(family.node.parts) == [part])
        }
    }

    @Test func `a child that merges follows the parent's undo and redo`() throws {
        try withFamily { family in
            family.child.automaticallyMergesChangesFromParent = true
            family.parent.undoManager = ContextUndoManager()
            family.same.label = "changed"
            let new = Node(in: family.child, label: "new")
            try family.child.save()
            family.parent.undo()
            #expect(try family.child.fetch(Node.fetchRequest()) == [family.same])
            #expect(family.same.label == "base")
            #expect(new.isDeleted)
            family.parent.redo()
            let found = try family.child.fetch(Node.fetchRequest().sorted(by: Node.label))
            #expect(found.map(\.label) == ["changed", "new"])
        }
    }

    @Test func `a child undoes its own changes, before its save and after`() throws {
        try withFamily { family in
            let manager = ContextUndoManager()
            family.child.undoManager = manager
            family.same.label = "first"
            family.child.processPendingChanges()
            family.same.label = "second"
            family.child.processPendingChanges()
            manager.undo()
            #expect(family.same.label == "first")
            try family.child.save()
            #expect(family.node.label == "first")
            manager.undo()
            #expect(family.same.label == "base")
            #expect(family.node.label == "first")
            try family.child.save()
            #expect(family.node.label == "base")
        }
    }

    @Test func `an insertion that was saved up is undone by a deletion`() throws {
        try withFamily { family in
            family.child.undoManager = ContextUndoManager()
            _ = Node(in: family.child, label: "new")
            try family.child.save()
            family.child.undo()
            try family.child.save()
            #expect(family.parent.insertedObjects.isEmpty && !family.parent.hasChanges)
        }
    }

    @Test(arguments: [false, true])
    func `a deletion that was saved up is undone, also when the root has saved it`(
        _ savesRoot: Bool
    ) throws {
        try withFamily { family in
            let topic = Topic(in: family.parent, name: "topic")
            let box = Box(in: family.parent)
            family.node.tags.insert(topic)
            family.node.box = box
            try family.parent.save()
            family.child.refreshAllObjects()
            family.child.undoManager = ContextUndoManager()
            family.child.delete(family.same)
            try family.child.save()
            #expect(family.node.isDeleted)
            if savesRoot { try family.parent.save() }
            family.child.undo()
            #expect(family.same.label == "base")
            #expect(family.same.tags.map(\.name) == ["topic"])
            try family.child.save()
            let node: Node = try family.parent.get(family.same.objectID)
            #expect(node.label == "base" && node.box === box)
            #expect(Array(node.tags) == [topic])
            #expect(Array(box.nodes) == [node])
            if !savesRoot { #expect(node === family.node) }
            try family.parent.save()
            let reader = family.container.newContext()
            #expect(try reader.get(node.objectID, as: Node.self).tags.map(\.name) == ["topic"])
        }
    }
}
