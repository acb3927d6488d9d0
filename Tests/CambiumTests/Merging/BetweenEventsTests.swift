import Cambium
import Testing

/// What others save between the event that changed an object and the one that saves it: unsaved
/// changes win, by the rules of the model, however the work of both sides falls.
struct BetweenEventsTests {
    @Test(arguments: [MergePolicy.error, .objectTrump, .storeTrump], [0, 1, 2])
    func `the outcome is always the same`(_ policy: MergePolicy, _ eventsBetween: Int) async throws
    {
        let container = try PersistentContainer(model: Counters.model, at: .temporary)
        let background = container.newBackgroundContext()
        let id = try await background.insertCounter()
        for _ in 0..<5 {
            try await background.perform { context in
                context.mergePolicy = policy
                let counter = try context.existingObject(with: id)
                counter[number: "count"] = 12
                counter[number: "total"] = 12
            }
            try await container.performBackgroundTask { context in
                let counter = try context.existingObject(with: id)
                counter[number: "count"] -= 1
                counter[number: "total"] -= 1
                try context.save()
            }
            for _ in 0..<eventsBetween { await Task.yield() }
            try await background.perform { context in
                try context.save()
                let counter = try context.existingObject(with: id)
                #expect(counter[number: "count"] == 12)
                #expect(counter[number: "total"] == 11)
                counter[number: "count"] = 10
                counter[number: "total"] = 10
                try context.save()
            }
        }
    }

    @MainActor @Test func `a save in the event of others' save decides alike`() async throws {
        try await withContainer(Counters.model) { container in
            let others = try OtherCounter(in: container)
            let view = container.viewContext
            let counter = try view.existingObject(with: others.counter.objectID)
            counter[number: "count"] = 12
            counter[number: "total"] = 12
            try await Task.sleep(for: .milliseconds(5))
            try others.save("count", 9)
            try others.save("total", 9)
            try view.save()
            #expect(counter[number: "count"] == 12)
            #expect(counter[number: "total"] == 11)
            // What is changed in the same event is a conflict.
            counter[number: "count"] += 1
            others.context.refreshAllObjects()
            try others.save("count", 5)
            #expect(throws: ConflictError.self) { try view.save() }
        }
    }

    @Test func `a merge by hand follows the rules of the model`() throws {
        try withCounter { context, counter, others in
            counter[number: "total"] = 12
            try others.save("total", 9)
            context.mergePending()
            #expect(counter[number: "total"] == 11)
            try others.save("total", 8)
            context.refresh(counter, mergeChanges: true)
            #expect(counter[number: "total"] == 10)
            try context.save()
            #expect(counter[number: "total"] == 10)
        }
    }
}
