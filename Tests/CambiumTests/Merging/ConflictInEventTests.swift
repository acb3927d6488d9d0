import Cambium
import Testing

/// What others save between the reading and the saving of one event, in contexts that merge by
/// themselves.
struct ConflictInEventTests {
    private static let model = CompiledModel(
        Model(
            name: "Counters", version: "1",
            entities: [
                Entity(
                    name: "Counter",
                    attributes: [
                        number("count"), number("other"), number("total", merge: .sum),
                    ])
            ]))

    private static func number(_ name: String, merge: MergeRule? = nil) -> Attribute {
        Attribute(
            name: name, type: .int64, defaultValue: .constant(.int(10)), merge: merge)
    }

    /// A counter of 10 in a context that merges by itself, and one who saves changes of it.
    private func withCounter(
        _ policy: MergePolicy = .error,
        _ body: (ManagedObjectContext, ManagedObject, (String, Int64) throws -> Void) throws -> Void
    ) throws {
        try withContainer(Self.model, on: .memory) { container in
            let others = container.newContext()
            let theirs = try others.insertObject(ofEntity: "Counter")
            try others.save()
            let context = container.newContext()
            context.automaticallyMergesChangesFromParent = true
            context.mergePolicy = policy
            let counter = try context.existingObject(with: theirs.objectID)
            try body(context, counter) { name, value in
                theirs[number: name] = value
                try others.save()
            }
        }
    }

    @Test func `what was changed meanwhile is a conflict, and nothing is lost`() throws {
        try withCounter { context, counter, theySave in
            counter[number: "count"] += 2
            try theySave("count", 9)
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
        try withCounter { context, counter, theySave in
            counter[number: "count"] = 12
            try theySave("count", 9)
            _ = try context.fetch(FetchRequest<ManagedObject>(entityName: "Counter"))
            #expect(counter[number: "count"] == 12)
            #expect(throws: ConflictError.self) { try context.save() }
            context.refresh(counter, mergeChanges: true)
            try context.save()
            #expect(counter[number: "count"] == 12, "refreshed, the change rests on what is there")
        }
    }

    @Test func `rules of the model meet both changes`() throws {
        try withCounter(.objectTrump) { context, counter, theySave in
            counter[number: "total"] = 12
            try theySave("total", 9)
            try context.save()
            #expect(counter[number: "total"] == 11)
        }
    }

    @Test(arguments: [(MergePolicy.objectTrump, Int64(12)), (.storeTrump, 9)])
    func `a policy decides`(_ policy: MergePolicy, _ expected: Int64) throws {
        try withCounter(policy) { context, counter, theySave in
            counter[number: "count"] = 12
            try theySave("count", 9)
            try context.save()
            #expect(counter[number: "count"] == expected)
        }
    }

    @Test func `changes of different properties are no conflict`() throws {
        try withCounter { context, counter, theySave in
            counter[number: "count"] = 12
            try theySave("other", 9)
            try context.save()
            #expect(counter[number: "count"] == 12)
            #expect(counter[number: "other"] == 9)
        }
    }

    @Test func `a later change beside it does not hide an earlier one`() throws {
        try withCounter { context, counter, theySave in
            counter[number: "count"] = 12
            try theySave("count", 9)
            _ = try context.count(for: FetchRequest<ManagedObject>(entityName: "Counter"))
            try theySave("other", 9)
            #expect(throws: ConflictError.self) { try context.save() }
        }
    }

    @Test func `who merges by hand has seen it, and unsaved changes win`() throws {
        try withCounter { context, counter, theySave in
            counter[number: "count"] = 12
            try theySave("count", 9)
            try theySave("other", 8)
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
        try withCounter { context, counter, theySave in
            context.detectConflicts(for: counter)
            _ = try context.insertObject(ofEntity: "Counter")
            try theySave("count", 9)
            #expect(throws: ConflictError.self) { try context.save() }
            context.mergePending()
            #expect(counter[number: "count"] == 9)
        }
    }

    @Test func `many contexts that count lose nothing`() async throws {
        let container = try PersistentContainer(model: Self.model, at: .memory)
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

extension ManagedObject {
    /// A number by its name.
    fileprivate subscript(number name: String) -> Int64 {
        get {
            guard case .int(let number)? = try? value(forKey: name) else { return -1 }
            return number
        }
        set { _ = try? setValue(.int(newValue), forKey: name) }
    }
}
