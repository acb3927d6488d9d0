import Cambium
import EverythingModel
import Testing

/// What a child deletes is gone with all that the parent has led to it, and back with its undo.
struct DeletedWithParentTests {
    @Test func `a link that the parent has made meanwhile is taken back in both`() throws {
        try withFamily { family in
            let box = Box(in: family.parent)
            try family.parent.save()
            family.node.box = box
            family.child.delete(family.child.object(with: box.objectID))
            family.same.number = 2
            try family.child.save()
            #expect(family.node.box == nil && family.same.box == nil)
            #expect(family.node.number == 2)
            try family.parent.save()
            #expect(family.node.box == nil && family.same.box == nil)
        }
    }

    @Test func `what the parent has put under it goes in both`() throws {
        try withFamily { family in
            let other = Node(in: family.parent)
            let part = Part(in: family.parent, node: other)
            try family.parent.save()
            let below: Part = try family.child.get(part.objectID)
            #expect(below.name.isEmpty && family.same.parts.isEmpty)
            part.node = family.node
            family.child.delete(family.same)
            try family.child.save()
            #expect(part.isDeleted)
            family.child.mergePending()
            #expect(below.isDeleted)
            try family.parent.save()
            #expect(try family.child.count(for: FetchRequest<Part>()) == 0)
        }
    }

    @Test func `what the child has led elsewhere before stays`() throws {
        try withFamily { family in
            let other = Node(in: family.parent)
            let part = Part(in: family.parent, node: family.node)
            try family.parent.save()
            let below: Part = try family.child.get(part.objectID)
            below.node = try family.child.get(other.objectID)
            family.child.delete(family.same)
            try family.child.save()
            #expect(part.node == other && !part.isDeleted)
            try family.parent.save()
            #expect(Array(other.parts) == [part])
        }
    }

    @Test func `a deletion that was taken back follows the parent again`() throws {
        try withFamily { family in
            family.child.undoManager = ContextUndoManager()
            family.node.label = "parent's"
            family.child.refresh(family.same, mergeChanges: false)
            family.child.delete(family.same)
            try family.child.save()
            family.child.undo()
            try family.child.save()
            #expect(family.same.label == "parent's")
            family.parent.rollback()
            family.child.mergePending()
            #expect(family.node.label == "base" && family.same.label == "base")
            #expect(!family.child.hasChanges)
        }
    }

    @Test func `one that was saved before it was taken back stays`() throws {
        try withFamily { family in
            family.child.undoManager = ContextUndoManager()
            family.child.delete(family.same)
            try family.child.save()
            try family.parent.save()
            family.child.undo()
            try family.child.save()
            family.child.mergePending()
            #expect(!family.same.isDeleted && family.same.label == "base")
            let node: Node = try family.parent.get(family.same.objectID)
            node.label = "new"
            try family.parent.save()
            family.child.mergePending()
            #expect(family.same.label == "new")
            family.child.delete(family.same)
            try family.child.save()
            try family.parent.save()
            family.child.undo()
            try family.child.save()
            family.parent.rollback()
            family.child.mergePending()
            #expect(family.same.isDeleted)
        }
    }

    @Test func `one that others deleted, too, stays`() throws {
        try withFamily { family in
            let others = family.container.newContext()
            others.delete(others.object(with: family.node.objectID))
            family.child.undoManager = ContextUndoManager()
            family.child.delete(family.same)
            try family.child.save()
            try others.save()
            family.parent.mergePolicy = .objectTrump
            try family.parent.save()
            family.child.undo()
            try family.child.save()
            try family.parent.save()
            family.parent.mergePending()
            family.child.mergePending()
            #expect(try family.parent.count(for: FetchRequest<Node>()) == 1)
            let node: Node = try family.parent.get(family.same.objectID)
            #expect(!node.isDeleted && node.label == "base" && !family.same.isDeleted)
        }
    }
}
