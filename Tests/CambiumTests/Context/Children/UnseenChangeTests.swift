import Cambium
import EverythingModel
import Testing

/// What others save, and the parent takes over, between the reading and the saving of a child.
struct UnseenChangeTests {
    private func withChild(
        _ policy: MergePolicy = .error, merges: Bool = false,
        _ body: (ManagedObjectContext, ManagedObject, ManagedObject, OtherCounter) throws -> Void
    ) throws {
        try withCounter(policy) { context, counter, others in
            let child = context.newChildContext()
            child.automaticallyMergesChangesFromParent = merges
            let same = try child.existingObject(with: counter.objectID)
            #expect(same[number: "count"] == 10)
            try body(context, counter, same, others)
        }
    }

    private func child(of object: ManagedObject) throws -> ManagedObjectContext {
        try #require(object.managedObjectContext)
    }

    @Test(arguments: [false, true])
    func `a child's change of what it did not see is a conflict of its parent`(
        _ merges: Bool
    ) throws {
        try withChild(merges: merges) { context, counter, same, others in
            same[number: "count"] += 1
            try others.save("count", 5)
            try others.save("other", 9)
            _ = try context.countCounters()
            _ = try child(of: same).countCounters()
            try child(of: same).save()
            #expect(counter[number: "count"] == 11)
            let error = #expect(throws: ConflictError.self) { try context.save() }
            #expect(error?.conflicts.first?.properties == ["count"])
            context.rollback()
            #expect(counter[number: "count"] == 5)
            #expect(counter[number: "other"] == 9)
            try child(of: same).mergePending()
            #expect(same[number: "count"] == 5)
        }
    }

    @Test(arguments: [(MergePolicy.objectTrump, Int64(11)), (.storeTrump, 5), (.rollback, 5)])
    func `the parent's policy decides`(_ policy: MergePolicy, _ expected: Int64) throws {
        try withChild(policy) { context, counter, same, others in
            same[number: "count"] += 1
            same[number: "total"] += 1
            try others.save("count", 5)
            try others.save("total", 9)
            _ = try context.countCounters()
            try child(of: same).save()
            try context.save()
            #expect(counter[number: "count"] == expected)
            #expect(counter[number: "total"] == (policy == .rollback ? 9 : 10))
        }
    }

    @Test func `what both sides know of is no conflict`() throws {
        try withChild { context, counter, same, others in
            same[number: "count"] = 11
            try others.save("other", 9)
            _ = try context.countCounters()
            try child(of: same).save()
            try context.save()
            #expect(counter[number: "count"] == 11)
            #expect(counter[number: "other"] == 9)
            same[number: "count"] = 12
            others.context.refreshAllObjects()
            try others.save("count", 5)
            _ = try context.countCounters()
            try child(of: same).mergePending()
            try child(of: same).save()
            try context.save()
            #expect(counter[number: "count"] == 12, "who merges by hand has seen it")
        }
    }

    @Test func `what the parent saves itself is no conflict`() throws {
        try withChild { context, counter, same, others in
            same[number: "count"] = 11
            for number in 20..<23 {
                counter[number: "count"] = Int64(number)
                try context.save()
            }
            try child(of: same).save()
            try context.save()
            #expect(counter[number: "count"] == 11)
        }
    }

    @Test func `a deletion of what the child did not see is a conflict`() throws {
        try withChild { context, counter, same, others in
            try child(of: same).delete(same)
            let child = try #require(same.managedObjectContext)
            try others.save("count", 5)
            _ = try context.countCounters()
            try child.save()
            #expect(throws: ConflictError.self) { try context.save() }
            context.rollback()
            #expect(counter[number: "count"] == 5)
        }
    }

    @Test func `an object that the child's changes rest on is looked at`() throws {
        try withChild { context, counter, same, others in
            let child = try child(of: same)
            child.detectConflicts(for: same)
            _ = try child.insertObject(ofEntity: "Counter")
            try others.save("count", 5)
            _ = try context.countCounters()
            try child.save()
            #expect(throws: ConflictError.self) { try context.save() }
        }
    }

    @Test func `a grandchild's change is a conflict of the root`() throws {
        try withChild { context, counter, same, others in
            let grandchild = try child(of: same).newChildContext()
            let third = try grandchild.existingObject(with: counter.objectID)
            third[number: "count"] += 1
            try others.save("count", 5)
            _ = try context.countCounters()
            try child(of: same).mergePending()
            try grandchild.save()
            try child(of: same).save()
            #expect(throws: ConflictError.self) { try context.save() }
        }
    }

    @Test func `an undo in the parent shows what others saved`() throws {
        try withChild { context, counter, same, others in
            context.undoManager = ContextUndoManager()
            same[number: "count"] += 1
            try others.save("count", 5)
            _ = try context.countCounters()
            try child(of: same).save()
            context.undo()
            #expect(counter[number: "count"] == 5)
            #expect(!context.hasChanges)
        }
    }

    @Test func `an undo leaves the parent's own changes`() throws {
        try withChild { context, counter, same, others in
            context.undoManager = ContextUndoManager()
            try others.save("count", 5)
            _ = try context.countCounters()
            counter[number: "other"] = 11
            context.processPendingChanges()
            same[number: "count"] += 1
            try child(of: same).save()
            #expect(counter[number: "count"] == 11)
            context.undo()
            #expect(counter[number: "count"] == 5)
            #expect(counter[number: "other"] == 11)
            try context.save()
            #expect(counter[number: "count"] == 5)
        }
    }

    @Test func `links are met like values`() throws {
        try withFamily { family in
            let boxes = (0..<3).map { _ in Box(in: family.parent) }
            family.node.box = boxes[0]
            try family.parent.save()
            family.child.refreshAllObjects()
            let childBoxes: [Box] = try boxes.map { try family.child.get($0.objectID) }
            #expect(family.same.box === childBoxes[0])
            family.same.box = childBoxes[1]
            let writer = family.container.newContext()
            try writer.get(family.node.objectID, as: Node.self).box =
                try writer.get(boxes[2].objectID)
            try writer.save()
            family.parent.mergePending()
            #expect(boxes[2].nodes.count == 1)
            try family.child.save()
            #expect(family.node.box === boxes[1])
            #expect(boxes.map(\.nodes.count) == [0, 1, 0])
            #expect(throws: ConflictError.self) { try family.parent.save() }
            family.parent.rollback()
            #expect(family.node.box === boxes[2])
            #expect(boxes.map(\.nodes.count) == [0, 0, 1])
        }
    }
}
