import Cambium
import Testing

/// Conflicts in which nothing is left to write.
struct SettledConflictTests {
    /// Two contexts change a counter, and a third has read what the first saved.
    private func settle(
        _ policy: MergePolicy, _ name: String = "count", theirs: Int64, ours: Int64,
        _ check: (_ ours: ManagedObject, _ reader: ManagedObject) throws -> Void
    ) throws {
        try withContainer(Counters.model, on: .current) { container in
            let others = try OtherCounter(in: container)
            let (context, third) = (container.newContext(), container.newContext())
            context.mergePolicy = policy
            let counter = try context.existingObject(with: others.counter.objectID)
            counter[number: name] = ours
            try others.save(name, theirs)
            let read = try third.existingObject(with: others.counter.objectID)
            #expect(read[number: name] == theirs)
            try context.save()
            #expect(!context.hasChanges)
            try check(counter, read)
            counter[number: name] = 99
            try context.save()
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback])
    func `what goes to the store as a whole is no change for anybody`(
        _ policy: MergePolicy
    ) throws {
        try settle(policy, theirs: 11, ours: 12) { counter, read in
            #expect(counter[number: "count"] == 11)
            read[number: "other"] = 5
            try read.managedObjectContext?.save()
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump])
    func `equal values of both sides are no change for anybody`(_ policy: MergePolicy) throws {
        try settle(policy, theirs: 12, ours: 12) { counter, read in
            #expect(counter[number: "count"] == 12)
            read[number: "other"] = 5
            try read.managedObjectContext?.save()
        }
    }

    @Test func `equal additions both count`() throws {
        try settle(.objectTrump, "total", theirs: 12, ours: 12) { counter, read in
            #expect(counter[number: "total"] == 14)
            read[number: "other"] = 5
            #expect(throws: ConflictError.self) { try read.managedObjectContext?.save() }
        }
    }
}
