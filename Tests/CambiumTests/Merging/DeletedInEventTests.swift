import Cambium
import EverythingModel
import ShopModel
import Testing

/// Objects that others delete while a context that merges by itself has unsaved changes of them.
struct DeletedInEventTests {
    @Test(arguments: [false, true])
    func `a change of what others deleted is a conflict`(_ fetches: Bool) throws {
        try withCounter { context, counter, others in
            counter[number: "count"] = 11
            try others.delete()
            if fetches { _ = try context.countCounters() }
            let error = #expect(throws: ConflictError.self) { try context.save() }
            #expect(error?.conflicts.first?.isRowDeleted == true)
            #expect(counter[number: "count"] == 11)
            #expect(context.updatedObjects == [counter])
            context.rollback()
            #expect(counter.isDeleted, "a rollback shows what the others saved")
            try context.save()
        }
    }

    @Test(arguments: [MergePolicy.objectTrump, .overwrite], [false, true])
    func `a change that trumps inserts the row again`(
        _ policy: MergePolicy, _ fetches: Bool
    ) throws {
        try withCounter(policy) { context, counter, others in
            counter[number: "count"] = 11
            try others.delete()
            if fetches { _ = try context.countCounters() }
            try context.save()
            #expect(!counter.isDeleted && !context.hasChanges)
            #expect(try context.countCounters() == 1)
            #expect(counter[number: "count"] == 11)
            counter[number: "count"] = 12
            try context.save()
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback])
    func `a deletion that trumps takes the object along`(_ policy: MergePolicy) throws {
        try withCounter(policy) { context, counter, others in
            counter[number: "count"] = 11
            try others.delete()
            try context.save()
            #expect(counter.isDeleted && !context.hasChanges)
            #expect(try context.countCounters() == 0)
        }
    }

    @Test func `what was set back, or refreshed, goes with its row`() throws {
        try withCounter { context, counter, others in
            counter[number: "count"] = 11
            try others.delete()
            _ = try context.countCounters()
            counter[number: "count"] = 10
            try context.save()
            #expect(counter.isDeleted)
        }
        try withCounter { context, counter, others in
            counter[number: "count"] = 11
            try others.delete()
            _ = try context.countCounters()
            context.refresh(counter, mergeChanges: false)
            #expect(counter.isDeleted)
            try context.save()
        }
    }

    @Test func `an object that what is saved rests on is missed`() throws {
        try withCounter { context, counter, others in
            context.detectConflicts(for: counter)
            _ = try context.insertObject(ofEntity: "Counter")
            try others.delete()
            #expect(throws: ConflictError.self) { try context.save() }
        }
    }

    @Test func `a merge by hand takes the object along`() throws {
        try withCounter { context, counter, others in
            counter[number: "count"] = 11
            try others.delete()
            _ = try context.countCounters()
            #expect(!counter.isDeleted)
            context.mergePending()
            #expect(counter.isDeleted && !context.hasChanges)
            try context.save()
        }
    }

    @Test func `until then every fetch finds the object`() throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        context.automaticallyMergesChangesFromParent = true
        let changed = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
        let locked = Product(in: context, sku: "AB-2", kind: .toy, price: 2)
        try context.save()
        context.detectConflicts(for: locked)
        changed.title = "changed"
        let others = container.newContext()
        for product in try others.fetch(Product.fetchRequest()) { others.delete(product) }
        try others.save()
        for condition: Condition<Product> in [
            Product.price >= 1, Product.category == nil, Product.category.name == nil,
        ] {
            let request = Product.fetchRequest().filter(condition).sorted(by: Product.sku)
            let found = try context.fetch(request)
            let count = try context.count(for: request)
            #expect(found == [changed, locked])
            #expect(count == 2)
        }
        let dear = try context.fetch(Product.fetchRequest().filter(Product.price > 1))
        #expect(dear == [locked])
        let priceless = try context.count(for: Product.fetchRequest().filter(Product.price > 2))
        #expect(priceless == 0)
    }

    @Test func `between events the change is no more lost than within one`() async throws {
        let container = try PersistentContainer(model: Counters.model, at: .temporary)
        let background = container.newBackgroundContext()
        let id = try await background.insertCounter()
        try await background.perform { context in
            try context.existingObject(with: id)[number: "count"] = 11
        }
        let others = container.newContext()
        others.delete(try others.existingObject(with: id))
        try others.save()
        // However many events there are in between.
        for _ in 0..<3 { try await background.perform { _ = try $0.countCounters() } }
        try await background.perform { context in
            #expect(context.updatedObjects.first?[number: "count"] == 11)
            #expect(throws: ConflictError.self) { try context.save() }
            context.mergePolicy = .objectTrump
            try context.save()
            #expect(try context.countCounters() == 1)
        }
    }
}

extension BackgroundContext {
    /// Inserts a counter and saves.
    func insertCounter() throws -> ObjectID {
        try perform { context in
            let counter = try context.insertObject(ofEntity: "Counter")
            try context.save()
            return counter.objectID
        }
    }
}
