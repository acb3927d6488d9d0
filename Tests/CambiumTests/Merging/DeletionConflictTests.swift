import Cambium
import EverythingModel
import Testing

private typealias Node = Seen<EverythingModel.Node>
private typealias Box = Seen<EverythingModel.Box>
private typealias Topic = Seen<EverythingModel.Topic>
private typealias Part = Seen<EverythingModel.Part>
private typealias Link = Seen<EverythingModel.Link>
private typealias Person = Seen<EverythingModel.Person>
private typealias Robot = Seen<EverythingModel.Robot>
private typealias Home = Seen<EverythingModel.Home>

/// One context deletes what another one changes (rule 70).
@Suite(.bothKinds) struct DeletionConflictTests {
    private func withTwoContexts(
        _ body: (PersistentContainer, ManagedObjectContext, Node, ManagedObjectContext, Node) throws
            -> Void
    ) throws {
        try withContainer(ObjectKind.current.everything) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let node = Node(in: first, label: "base", number: 1)
            try first.save()
            let same: Node = try second.get(node.objectID)
            #expect(same.label == "base")
            try body(container, first, node, second, same)
        }
    }

    @Test func `a change of what another one deleted is an error by default`() throws {
        try withTwoContexts { _, first, node, second, same in
            same.label = "ours"
            first.delete(node)
            try first.save()
            let error = #expect(throws: ConflictError.self) { try second.save() }
            #expect(error?.conflicts.first?.isRowDeleted == true)
            #expect(same.label == "ours")
            #expect(second.updatedObjects == [same])
        }
    }

    @Test func `the store's deletion trumps a change`() throws {
        try withTwoContexts { container, first, node, second, same in
            same.label = "ours"
            first.delete(node)
            try first.save()
            second.mergePolicy = .storeTrump
            try second.save()
            #expect(same.isDeleted)
            #expect(!second.hasChanges)
            #expect(second.registeredObject(for: node.objectID) == nil)
            #expect(try container.newContext().countSeen(Node.fetchRequest()) == 0)
        }
    }

    @Test func `a row that is there again outlives what was saved before`() throws {
        try withTwoContexts { container, first, node, second, same in
            for number in 2..<5 {
                node.number = Int64(number)
                try first.save()
            }
            first.delete(node)
            try first.save()
            same.label = "ours"
            second.mergePolicy = .objectTrump
            try second.save()
            same.label = "ours again"
            // Now it hears of the three changes and of the deletion.
            second.mergePending()
            #expect(second.registeredObject(for: node.objectID) === same)
            #expect(same.isUpdated && !same.isDeleted)
            #expect(same.label == "ours again")
            #expect(same.number == 1)
            try second.save()
            let reader = container.newContext()
            let read: Node = try reader.get(node.objectID)
            #expect(read.label == "ours again")
            #expect(read.number == 1)
            // What is saved after that, it takes over.
            first.mergePending()
            first.delete(try first.existingObject(with: node.objectID))
            try first.save()
            second.mergePending()
            #expect(same.isDeleted)
        }
    }

    @Test func `a deletion that was undone outlives the same deletion by another one`() throws {
        try withTwoContexts { container, first, node, second, same in
            first.undoManager = ContextUndoManager()
            first.delete(node)
            try first.save()
            second.delete(same)
            try second.save()
            first.undo()
            try first.save()
            first.mergePending()
            #expect(first.registeredObject(for: node.objectID) === node)
            #expect(!node.isDeleted)
            try #expect(container.newContext().countSeen(Node.fetchRequest()) == 1)
        }
    }

    @Test func `the object's change trumps the deletion, and the row is there again`() throws {
        try withTwoContexts { container, first, node, second, same in
            same.label = "ours"
            first.delete(node)
            try first.save()
            second.mergePolicy = .objectTrump
            try second.save()
            #expect(!same.isDeleted)
            let reader = container.newContext()
            let read: Node = try reader.get(node.objectID)
            #expect(read.label == "ours")
            #expect(read.number == 1)
            same.number = 2
            try second.save()
        }
    }

    @Test func `a deletion of what another one changed is an error by default`() throws {
        try withTwoContexts { container, first, node, second, same in
            second.delete(same)
            node.label = "theirs"
            try first.save()
            let error = #expect(throws: ConflictError.self) { try second.save() }
            #expect(error?.conflicts.first?.isDeletion == true)
            #expect(same.isDeleted)
            #expect(try container.newContext().countSeen(Node.fetchRequest()) == 1)
        }
    }

    @Test func `the store's change trumps a deletion, and the object lives`() throws {
        try withTwoContexts { _, first, node, second, same in
            second.delete(same)
            node.label = "theirs"
            try first.save()
            second.mergePolicy = .storeTrump
            try second.save()
            #expect(!same.isDeleted)
            #expect(!second.hasChanges)
            #expect(same.label == "theirs")
            #expect(second.registeredObject(for: node.objectID) === same)
            same.label = "after"
            try second.save()
        }
    }

    @Test func `the object's deletion trumps a change`() throws {
        try withTwoContexts { container, first, node, second, same in
            second.delete(same)
            node.label = "theirs"
            try first.save()
            second.mergePolicy = .objectTrump
            try second.save()
            #expect(same.managedObjectContext == nil)
            #expect(try container.newContext().countSeen(Node.fetchRequest()) == 0)
        }
    }

    @Test(arguments: [false, true])
    func `a member leaves a fault whose row another one deleted`(isLoaded: Bool) throws {
        try withContainer(ObjectKind.current.everything) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let box = Box(in: first, name: "box")
            let node = Node(in: first, box: box)
            try first.save()
            let same = try second.get(node.objectID, as: Node.self)
            #expect(same.box != nil)
            if !isLoaded { second.refreshAllObjects() }
            node.box = nil
            first.delete(box)
            try first.save()
            same.label = "ours"
            if isLoaded { second.refresh(same, mergeChanges: true) }
            same.box = nil
            try second.save()
            #expect(!second.hasChanges)
            #expect(try container.newContext().countSeen(Box.fetchRequest()) == 0)
        }
    }

    @Test func `what both deleted is gone`() throws {
        try withTwoContexts { container, first, node, second, same in
            second.delete(same)
            first.delete(node)
            try first.save()
            try second.save()
            #expect(!second.hasChanges)
            #expect(try container.newContext().countSeen(Node.fetchRequest()) == 0)
        }
    }

    @Test(arguments: [MergePolicy.error, .storeTrump, .objectTrump])
    func `a link to what another one deleted never dangles`(_ policy: MergePolicy) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(
                model: ObjectKind.current.everything, at: .temporary(path))
            let (first, second) = (container.newContext(), container.newContext())
            let box = Box(in: first)
            let node = Node(in: first)
            try first.save()
            second.mergePolicy = policy
            try second.get(node.objectID, as: Node.self).box = try second.get(box.objectID)
            first.delete(box)
            try first.save()
            if policy == .error {
                let error = #expect(throws: ValidationError.self) { try second.save() }
                #expect(error?.code == .missing)
                second.rollback()
            }
            try second.save()
            #expect(try second.get(node.objectID, as: Node.self).box == nil)
            #expect(try danglingKeys(in: path).isEmpty)
        }
    }
}
