import Cambium
import EverythingModel
import Testing

/// Children of children.
struct GrandchildTests {
    private func withGrandchild(
        _ body: (Family, ManagedObjectContext, Node) throws -> Void
    ) throws {
        try withFamily { family in
            let grandchild = family.child.newChildContext()
            let node: Node = try grandchild.get(family.node.objectID)
            _ = node.label
            try body(family, grandchild, node)
        }
    }

    @Test func `a grandchild reads through both`() throws {
        try withGrandchild { family, grandchild, _ in
            let box = Box(in: family.parent, name: "box")
            let node = Node(in: family.child, label: "new", box: try family.child.get(box.objectID))
            let found = try grandchild.fetch(Node.fetchRequest().filter(Node.box.name == "box"))
            #expect(found.map(\.objectID) == [node.objectID])
            #expect(found.first?.box?.nodes.count == 1)
            #expect(try grandchild.count(for: Node.fetchRequest()) == 2)
        }
    }

    @Test func `each save goes up by one`() throws {
        try withGrandchild { family, grandchild, node in
            node.label = "changed"
            let new = Node(in: grandchild, label: "new")
            try grandchild.save()
            #expect(family.same.label == "changed" && family.node.label == "base")
            #expect(family.child.insertedObjects.map(\.objectID) == [new.objectID])
            try family.child.save()
            #expect(family.node.label == "changed")
            #expect(new.objectID.isTemporary)
            try family.parent.save()
            #expect(!new.objectID.isTemporary)
            let reader = family.container.newContext()
            #expect(try reader.count(for: Node.fetchRequest()) == 2)
        }
    }

    @Test func `a save of the root comes down to a grandchild`() throws {
        try withGrandchild { family, grandchild, node in
            family.child.automaticallyMergesChangesFromParent = true
            grandchild.automaticallyMergesChangesFromParent = true
            family.node.label = "changed"
            try family.parent.save()
            _ = try grandchild.fetch(Box.fetchRequest())
            #expect(node.label == "changed")
        }
    }

    @Test func `a rollback in the middle drops what came from below`() throws {
        try withGrandchild { family, grandchild, node in
            node.label = "changed"
            try grandchild.save()
            family.child.rollback()
            grandchild.mergePending()
            #expect(node.label == "base")
            #expect(!family.parent.hasChanges)
        }
    }

    @Test func `a merged object is followed through both`() throws {
        try withContainer(Everything.model) { container in
            let writer = container.newContext()
            let theirs = Robot(in: writer, name: "theirs", serial: "same")
            try writer.save()
            let parent = container.newContext()
            parent.mergePolicy = .objectTrump
            let child = parent.newChildContext()
            let grandchild = child.newChildContext()
            let ours = Robot(in: grandchild, name: "ours", serial: "same")
            try grandchild.save()
            try child.save()
            try parent.save()
            child.mergePending()
            grandchild.mergePending()
            #expect(ours.objectID == theirs.objectID)
            ours.name = "later"
            try grandchild.save()
            try child.save()
            #expect(try parent.get(theirs.objectID, as: Robot.self).name == "later")
        }
    }
}
