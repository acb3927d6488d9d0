import Cambium
import Testing

/// A batch operation of a context that has changed the same objects itself.
struct OwnBatchTests {
    private func addHundred(_ context: ManagedObjectContext) throws {
        try context.execute(
            BatchUpdateRequest<ManagedObject>(entityName: "Counter")
                .setResult(of: "count + 100", forKey: "count")
                .setResult(of: "total + 100", forKey: "total"))
    }

    @Test(arguments: [false, true])
    func `an unsaved change of the same property is a conflict`(_ merges: Bool) throws {
        try withCounter { context, counter, _ in
            context.automaticallyMergesChangesFromParent = merges
            counter[number: "count"] += 1
            try addHundred(context)
            #expect(counter[number: "count"] == 11)
            #expect(throws: ConflictError.self) { try context.save() }
            context.rollback()
            #expect(counter[number: "count"] == 110)
        }
    }

    @Test(arguments: [false, true])
    func `an unsaved change of another property stays on top`(_ merges: Bool) throws {
        try withCounter { context, counter, _ in
            context.automaticallyMergesChangesFromParent = merges
            counter[number: "other"] += 1
            try addHundred(context)
            #expect(counter[number: "count"] == 110)
            try context.save()
            #expect(counter[number: "other"] == 11)
        }
    }

    @Test func `rules of the model meet both`() throws {
        try withCounter(.objectTrump) { context, counter, _ in
            counter[number: "total"] += 1
            try addHundred(context)
            try context.save()
            #expect(counter[number: "total"] == 111)
            #expect(counter[number: "count"] == 110)
        }
    }

    @Test func `a change of an earlier event is in conflict, too`() async throws {
        let container = try PersistentContainer(model: Counters.model, at: .temporary)
        let background = container.newBackgroundContext()
        let id = try await background.insertCounter()
        try await background.perform { context in
            try context.existingObject(with: id)[number: "count"] += 1
        }
        try await background.perform { context in
            try addHundred(context)
            #expect(throws: ConflictError.self) { try context.save() }
        }
    }

    @Test func `a child's operation conflicts with the child's change`() throws {
        try withCounter { context, counter, _ in
            let child = context.newChildContext()
            let same = try child.existingObject(with: counter.objectID)
            same[number: "count"] += 1
            try addHundred(child)
            try child.save()
            #expect(throws: ConflictError.self) { try context.save() }
            context.rollback()
            #expect(counter[number: "count"] == 110)
        }
    }
}
