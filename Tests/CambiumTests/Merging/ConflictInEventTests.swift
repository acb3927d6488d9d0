import Cambium
import Testing

/// What others save between the reading and the saving of one event, in contexts that merge by
/// themselves.
struct ConflictInEventTests {
    @Test func `what was changed meanwhile is a conflict, and nothing is lost`() throws {
        try withCounter { context, counter, others in
            counter[number: "count"] += 2
            try others.save("count", 9)
            let error = #expect(throws: ConflictError.self) { try context.save() }
            #expect(error?.conflicts.first?.properties == ["count"])
            #expect(counter[number: "count"] == 12)
            context.rollback()
            #expect(counter[number: "count"] == 9, "a rollback shows what the others saved")
            counter[number: "count"] += 2
            try context.save()
            #expect(counter[number: "count"] == 11)
        }
    }

    @Test func `a fetch in between takes nothing of the conflict away`() throws {
        try withCounter { context, counter, others in
            counter[number: "count"] = 12
            try others.save("count", 9)
            _ = try context.fetch(FetchRequest<ManagedObject>(entityName: "Counter"))
            #expect(counter[number: "count"] == 12)
            #expect(throws: ConflictError.self) { try context.save() }
            context.refresh(counter, mergeChanges: true)
            try context.save()
            #expect(counter[number: "count"] == 12, "refreshed, the change rests on what is there")
        }
    }

    @Test func `rules of the model meet both changes`() throws {
        try withCounter(.objectTrump) { context, counter, others in
            counter[number: "total"] = 12
            try others.save("total", 9)
            try context.save()
            #expect(counter[number: "total"] == 11)
        }
    }

    @Test(arguments: [(MergePolicy.objectTrump, Int64(12)), (.storeTrump, 9)])
    func `a policy decides`(_ policy: MergePolicy, _ expected: Int64) throws {
        try withCounter(policy) { context, counter, others in
            counter[number: "count"] = 12
            try others.save("count", 9)
            try context.save()
            #expect(counter[number: "count"] == expected)
        }
    }

    @Test func `changes of different properties are no conflict`() throws {
        try withCounter { context, counter, others in
            counter[number: "count"] = 12
            try others.save("other", 9)
            try context.save()
            #expect(counter[number: "count"] == 12)
            #expect(counter[number: "other"] == 9)
        }
    }

    @Test func `a later change beside it does not hide an earlier one`() throws {
        try withCounter { context, counter, others in
            counter[number: "count"] = 12
            try others.save("count", 9)
            _ = try context.count(for: FetchRequest<ManagedObject>(entityName: "Counter"))
            try others.save("other", 9)
            #expect(throws: ConflictError.self) { try context.save() }
        }
    }

    @Test func `who merges by hand has seen it, and unsaved changes win`() throws {
        try withCounter { context, counter, others in
            counter[number: "count"] = 12
            try others.save("count", 9)
            try others.save("other", 8)
            _ = try context.count(for: FetchRequest<ManagedObject>(entityName: "Counter"))
            #expect(counter[number: "other"] == 10)
            context.mergePending()
            #expect(counter[number: "count"] == 12)
            #expect(counter[number: "other"] == 8, "nothing that was left out is missed for ever")
            try context.save()
            #expect(counter[number: "count"] == 12)
        }
    }

    @Test func `an object that what is saved rests on is looked at, too`() throws {
        try withCounter { context, counter, others in
            context.detectConflicts(for: counter)
            _ = try context.insertObject(ofEntity: "Counter")
            try others.save("count", 9)
            #expect(throws: ConflictError.self) { try context.save() }
            context.mergePending()
            #expect(counter[number: "count"] == 9)
        }
    }

    @Test func `many contexts that count lose nothing`() async throws {
        let container = try PersistentContainer(model: Counters.model, at: .temporary)
        let id = try await container.performBackgroundTask { context in
            let counter = try context.insertObject(ofEntity: "Counter")
            try context.save()
            return counter.objectID
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        var isDone = false
                        while !isDone {
                            isDone = try await container.performBackgroundTask { context in
                                let counter = try context.existingObject(with: id)
                                counter[number: "count"] += 1
                                do { try context.save() } catch is ConflictError { return false }
                                return true
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await container.performBackgroundTask { context in
            try context.existingObject(with: id)[number: "count"]
        }
        #expect(count == 110)
    }
}
