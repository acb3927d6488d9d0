import Cambium
import EverythingModel
import Testing

/// A deletion here, while others lead an object of theirs to what is to be deleted.
struct NewLinkTests {
    /// A context that deletes a box, and a node that others have put into it meanwhile.
    private func withNewLink(
        merging: Bool = false, knowsNode: Bool,
        _ body: (ManagedObjectContext, Box, ObjectID) throws -> Void
    ) throws {
        try withTwoContexts { others, context in
            context.automaticallyMergesChangesFromParent = merging
            let (box, node) = (Box(in: others), Node(in: others))
            try others.save()
            let same: Box = try context.get(box.objectID)
            #expect(same.nodes.isEmpty)
            if knowsNode { #expect(try context.get(node.objectID, as: Node.self).box == nil) }
            context.delete(same)
            context.processPendingChanges()
            node.box = box
            try others.save()
            try body(context, same, node.objectID)
        }
    }

    private func withTwoContexts(
        _ body: (ManagedObjectContext, ManagedObjectContext) throws -> Void
    ) throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        try body(container.newContext(), container.newContext())
    }

    @Test(arguments: [false, true], [false, true])
    func `a link that others have made is a conflict with a deletion`(
        merging: Bool, knowsNode: Bool
    ) throws {
        try withNewLink(merging: merging, knowsNode: knowsNode) { context, box, node in
            let error = #expect(throws: ConflictError.self) { try context.save() }
            let conflict = try #require(error?.conflicts.first)
            #expect(error?.conflicts.count == 1)
            #expect(conflict.objectID == node)
            #expect(conflict.properties == ["box"])
            #expect(!conflict.isDeletion && !conflict.isRowDeleted)
            #expect(context.deletedObjects == [box])
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `the delete rule is followed after a refresh`(merging: Bool, knowsNode: Bool) throws {
        try withNewLink(merging: merging, knowsNode: knowsNode) { context, _, id in
            #expect(throws: ConflictError.self) { try context.save() }
            let node: Node = try context.get(id)
            context.refresh(node, mergeChanges: false)
            try context.save()
            #expect(node.box == nil)
            let count = try context.count(for: Box.fetchRequest())
            #expect(count == 0)
        }
    }

    @Test func `what is not refreshed goes on being a conflict`() throws {
        try withNewLink(knowsNode: true) { context, _, id in
            for _ in 0..<3 { #expect(throws: ConflictError.self) { try context.save() } }
            context.refreshAllObjects()
            try context.save()
            #expect(try context.get(id, as: Node.self).box == nil)
        }
    }

    @Test func `a rollback takes the deletion back`() throws {
        try withNewLink(knowsNode: false) { context, box, id in
            #expect(throws: ConflictError.self) { try context.save() }
            context.rollback()
            context.refreshAllObjects()
            #expect(box.nodes.map(\.objectID) == [id])
            try context.save()
        }
    }

    @Test(arguments: [MergePolicy.objectTrump, .overwrite], [false, true])
    func `a deletion that trumps clears the link`(_ policy: MergePolicy, knowsNode: Bool) throws {
        try withNewLink(knowsNode: knowsNode) { context, box, id in
            context.mergePolicy = policy
            try context.save()
            #expect(box.managedObjectContext == nil)
            context.mergePending()
            #expect(try context.get(id, as: Node.self).box == nil)
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback], [false, true])
    func `a link that trumps lets what it leads to live`(
        _ policy: MergePolicy, knowsNode: Bool
    ) throws {
        try withNewLink(knowsNode: knowsNode) { context, box, id in
            context.mergePolicy = policy
            try context.save()
            #expect(!context.hasChanges && !box.isDeleted)
            context.mergePending()
            let node: Node = try context.get(id)
            #expect(node.box == box)
            #expect(Array(box.nodes) == [node])
            try context.save()
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback])
    func `what others have put under what is deleted here is not deleted with it`(
        _ policy: MergePolicy
    ) throws {
        try withTwoContexts { others, context in
            context.mergePolicy = policy
            let link = Link(in: others)
            let child = Link(in: others, parent: link)
            try others.save()
            let same: Link = try context.get(link.objectID)
            #expect(same.children.count == 1)
            context.delete(same)
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 2)
            let grandchild = Link(in: others, parent: child)
            try others.save()
            try context.save()
            #expect(!same.isDeleted && !context.hasChanges)
            let all = try context.fetch(Link.fetchRequest())
            #expect(all.map(\.objectID) == [link, child, grandchild].map(\.objectID))
            #expect(all.map { $0.parent?.objectID } == [nil, link.objectID, child.objectID])
        }
    }

    @Test func `what a cascade did not know of goes after a second save`() throws {
        try withTwoContexts { others, context in
            let node = Node(in: others)
            try others.save()
            context.delete(try context.get(node.objectID, as: Node.self))
            context.processPendingChanges()
            let part = Part(in: others, node: node)
            try others.save()
            let error = #expect(throws: ConflictError.self) { try context.save() }
            #expect(error?.conflicts.map(\.objectID) == [part.objectID])
            try context.save()
            let count = try context.count(for: Part.fetchRequest())
            #expect(count == 0)
        }
    }

    @Test(arguments: [MergePolicy.error, .objectTrump])
    func `a deletion that others deny names who denies it`(_ policy: MergePolicy) throws {
        try withTwoContexts { others, context in
            let (owner, home) = (Person(in: others, name: "p"), Home(in: others))
            try others.save()
            context.mergePolicy = policy
            let same: Person = try context.get(owner.objectID)
            #expect(same.owned.isEmpty)
            context.delete(same)
            context.processPendingChanges()
            home.owner = owner
            try others.save()
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .deleteDenied)
            #expect(error?.objectID == home.objectID)
            #expect(error?.property == "owner")
            others.delete(home)
            try others.save()
            context.refreshAllObjects()
            try context.save()
        }
    }
}
