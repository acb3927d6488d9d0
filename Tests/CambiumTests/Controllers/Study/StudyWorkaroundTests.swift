import Cambium
import Foundation
import TestDummyModel
import Testing

/// The workarounds of the study: none is needed, and each that a program brings along does no harm.
/// A change is told once, and no reference dies.
@MainActor
@Suite(.onServers)
struct StudyWorkaroundTests {
    private typealias Stack = StudyTests.Stack
    typealias Filter = StudyTests.Filter

    /// A stack in which four entities were saved, two of them updated in a second save that the
    /// main context has not merged yet.
    private func updatedStack(_ filter: Filter) async throws -> Stack {
        let stack = try Stack(filter)
        stack.main.automaticallyMergesChangesFromParent = false
        try await stack.insertFour(saving: true)
        stack.merge()
        stack.delegate.forget()
        try await stack.updateTwo(saving: true)
        return stack
    }

    /// What the second save is told as.
    private func expected(_ filter: Filter) -> [String] {
        filter == .all ? ["update 0", "update 2"] : ["insert 0", "insert 2"]
    }

    private func expectUsable(_ stack: Stack, _ filter: Filter) {
        #expect(stack.shown == (filter == .all ? [0, 1, 2, 3] : [0, 2]))
        let names = (stack.controller.fetchedObjects ?? []).map(\.name)
        #expect(names == (filter == .all ? ["even 0", "1", "even 2", "3"] : ["even 0", "even 2"]))
        #expect(stack.delegate.faults == [])
    }

    // MARK: Changing the stack

    @Test(arguments: Filter.allCases)
    func `in a stack of parent and child the parent's controller hears of the child's save`(
        _ filter: Filter
    ) throws {
        let stack = try Stack(filter)
        let child = stack.main.newChildContext()
        for number: Int64 in 0..<4 {
            _ = TestDummy(in: child, id: number, name: "\(number)", isEven: false)
        }
        try child.save()
        stack.main.processPendingChanges()
        #expect(
            stack.told
                == (filter == .all ? ["insert 0", "insert 1", "insert 2", "insert 3"] : []))
        stack.delegate.forget()
        for dummy in try child.fetch(TestDummy.fetchRequest()) where dummy.id.isMultiple(of: 2) {
            dummy.isEven = true
            dummy.name = "even \(dummy.id)"
        }
        try child.save()
        stack.main.processPendingChanges()
        #expect(stack.told == expected(filter))
        stack.delegate.forget()
        try stack.main.save()
        #expect(stack.told == [], "the ids and values are what they were")
        expectUsable(stack, filter)
    }

    // MARK: Refreshing objects in the main context

    @Test(arguments: Filter.allCases, [false, true])
    func `refreshing all updated objects tells each change once`(
        _ filter: Filter, mergesChanges: Bool
    ) async throws {
        let stack = try await updatedStack(filter)
        let held = stack.controller.fetchedObjects ?? []
        let main = stack.main
        let token = main.observe(.didMergeChangesObjectIDs) { [weak main] ids in
            for id in ids.updated {
                guard let main, let object = try? main.existingObject(with: id) else { continue }
                main.refresh(object, mergeChanges: mergesChanges)
            }
        }
        stack.merge()
        stack.main.processPendingChanges()
        #expect(stack.told == expected(filter))
        for (dummy, name) in zip(held, ["even 0", "1", "even 2", "3"]) {
            #expect(dummy.name == name, "a reference that was held shows what was saved")
        }
        expectUsable(stack, filter)
        token.cancel()
    }

    @Test(arguments: Filter.allCases)
    func `refreshing with merging keeps what was changed here`(_ filter: Filter) async throws {
        let stack = try await updatedStack(filter)
        let mine = try #require(
            stack.main.fetch(TestDummy.fetchRequest()).first { $0.id == 0 })
        mine.name = "mine"
        stack.main.processPendingChanges()
        stack.delegate.forget()
        stack.merge()
        stack.main.refresh(mine, mergeChanges: true)
        stack.main.processPendingChanges()
        #expect(mine.name == "mine")
        #expect(mine.isEven)
        #expect(stack.told == expected(filter))
        #expect(stack.delegate.faults == [])
    }

    @Test func `refreshed objects and those they relate to stay usable`() throws {
        let shop = try ShopStack()
        let product = shop.product
        let category = try #require(product.category)
        for object in [product, category] as [ManagedObject] {
            shop.main.refresh(object, mergeChanges: false)
        }
        #expect(product.isFault && category.isFault)
        #expect(Array(category.products) == [product])
        #expect(product.category === category)
        #expect(product.category?.name == "Books")
        shop.main.processPendingChanges()
        #expect(shop.delegate.told.isEmpty, "nothing has changed")
    }

    // MARK: Observation by each controller

    /// The ids that a controller of the study picks out of a save: of its entity, matching, and not
    /// registered in its context.
    private func newlyMatching(_ stack: Stack, _ filter: Filter) async throws -> [ObjectID] {
        let matching = try await stack.background.perform { context in
            try context.fetch(filter.request).map(\.objectID)
        }
        return matching.filter { stack.main.registeredObject(for: $0) == nil }
    }

    @Test(arguments: Filter.allCases)
    func `each controller refreshing what newly matches tells each change once`(
        _ filter: Filter
    ) async throws {
        let stack = try await updatedStack(filter)
        for id in try await newlyMatching(stack, filter) {
            let object = try stack.main.existingObject(with: id)
            stack.main.refresh(object, mergeChanges: false)
        }
        stack.main.processPendingChanges()
        stack.merge()
        #expect(stack.told == expected(filter))
        expectUsable(stack, filter)
    }

    @Test(arguments: Filter.allCases)
    func `firing faults before merging by hand tells each change once`(
        _ filter: Filter
    ) async throws {
        let stack = try await updatedStack(filter)
        let changeSets = try await stack.background.perform { context in
            var changeSets: [ChangeSet] = []
            let token = context.observe(.didSave) { changeSets += $0.changeSets }
            for dummy in try context.fetch(filter.request) { dummy.name += "!" }
            try context.save()
            token.cancel()
            return changeSets
        }
        for id in try await newlyMatching(stack, filter) {
            try stack.main.existingObject(with: id).willAccessValue(forKey: nil)
        }
        for changeSet in changeSets { stack.main.mergeChanges(from: changeSet) }
        stack.merge()
        stack.main.processPendingChanges()
        let told = stack.told.sorted()
        let names =
            filter == .all
            ? ["update 0", "update 1", "update 2", "update 3"] : ["insert 0", "insert 2"]
        #expect(told == names)
        #expect(stack.controller.fetchedObjects?.allSatisfy { $0.name.hasSuffix("!") } == true)
        #expect(stack.delegate.faults == [])
    }

    // MARK: Fetching again

    @Test(arguments: Filter.allCases)
    func `a fetch at each change tells nobody`(_ filter: Filter) async throws {
        let stack = try await updatedStack(filter)
        try stack.controller.performFetch()
        stack.merge()
        // Objects that the context had already show what was saved with the merge, which tells it.
        #expect(stack.told == ["update 0", "update 2"])
        stack.delegate.forget()
        try stack.controller.performFetch()
        #expect(stack.told == [])
        #expect(stack.shown == (filter == .all ? [0, 1, 2, 3] : [0, 2]))
    }

    @Test(arguments: Filter.allCases)
    func `a refetch tells what the program would have to work out by itself`(
        _ filter: Filter
    ) async throws {
        let stack = try await updatedStack(filter)
        for object in stack.main.registeredObjects {
            stack.main.refresh(object, mergeChanges: false)
        }
        try stack.controller.refetch()
        #expect(stack.told == expected(filter))
        stack.merge()
        #expect(stack.told == expected(filter), "the merge has nothing new")
        expectUsable(stack, filter)
    }
}
