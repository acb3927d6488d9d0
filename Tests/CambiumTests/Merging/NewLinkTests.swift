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
        let container = try PersistentContainer(model: Everything.model, at: .memory)
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
            #expect(!conflict.isDeletion && !conflict.isRowGone)
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

    @Test(arguments: [MergePolicy.objectTrump, .storeTrump, .overwrite, .rollback])
    func `other policies clear the link`(_ policy: MergePolicy) throws {
        try withNewLink(knowsNode: false) { context, _, id in
            context.mergePolicy = policy
            try context.save()
            #expect(try context.get(id, as: Node.self).box == nil)
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
