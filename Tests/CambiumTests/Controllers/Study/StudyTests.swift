import Cambium
import TestDummyModel
import Testing

/// The study of a results controller over sibling contexts, scenario by scenario: the main context
/// only reads, a background context works.
@MainActor
@Suite(.onServers)
struct StudyTests {
    /// What the main context's controller is asked for.
    enum Filter: String, CaseIterable, CustomTestStringConvertible {
        case all
        case even

        var testDescription: String { rawValue }

        var request: FetchRequest<TestDummy> {
            let request = TestDummy.fetchRequest().sorted(by: TestDummy.id)
            return self == .all ? request : request.filter(TestDummy.isEven == true)
        }
    }

    // MARK: Inserting

    @Test func `before the save, inserted objects are the registered ones, and the controller's`()
        async throws
    {
        let stack = try Stack(.all)
        let isSame = try await stack.background.perform { context in
            let controller = FetchedResultsController(Filter.all.request, in: context)
            try controller.performFetch()
            let delegate = MirrorDelegate(controller)
            controller.delegate = delegate
            for number: Int64 in 0..<4 { _ = TestDummy(in: context, number: number) }
            context.processPendingChanges()
            return context.insertedObjects == context.registeredObjects
                && Set(controller.fetchedObjects ?? []) == context.registeredObjects
                && context.registeredObjects.count == 4
        }
        #expect(isSame)
        #expect(stack.main.registeredObjects.isEmpty)
        #expect(stack.shown == [])
    }

    @Test func `a save brings all registered objects to the main context`() async throws {
        let stack = try Stack(.all)
        try await stack.insertFour(saving: true)
        stack.merge()
        let registered = try await stack.background.perform { context in
            Set(context.registeredObjects.map(\.objectID))
        }
        #expect(Set(stack.main.registeredObjects.map(\.objectID)) == registered)
        #expect(
            Set<ManagedObject>(stack.controller.fetchedObjects ?? [])
                == stack.main.registeredObjects)
        #expect(stack.told == ["insert 0", "insert 1", "insert 2", "insert 3"])
        #expect(try await stack.counts()["inserted"] == 0)
    }

    @Test func `inserted objects that match appear`() async throws {
        let stack = try Stack(.even)
        try await stack.background.perform { context in
            for number: Int64 in 0..<4 { _ = TestDummy(in: context, number: number) }
            try context.save()
        }
        stack.merge()
        #expect(stack.told == ["insert 0", "insert 2"])
        #expect(stack.shown == [0, 2])
    }

    // MARK: Updating

    @Test(arguments: Filter.allCases)
    func `insert, update and save is an insert`(_ filter: Filter) async throws {
        let stack = try Stack(filter)
        try await stack.insertFour(saving: false)
        try await stack.updateTwo(saving: false)
        #expect(
            try await stack.counts()
                == ["registered": 4, "inserted": 4, "updated": 0, "deleted": 0])
        try await stack.save()
        stack.merge()
        let expected: [Int64] = filter == .all ? [0, 1, 2, 3] : [0, 2]
        #expect(stack.told == expected.map { "insert \($0)" })
        #expect(stack.shown == expected)
    }

    @Test func `objects that were inserted and then updated are told as inserted only`()
        async throws
    {
        let stack = try Stack(.all)
        let told = try await stack.background.perform { context in
            var told: [String] = []
            let token = context.observe(.objectsDidChange) { changes in
                told.append("\(changes.inserted.count) and \(changes.updated.count)")
            }
            let dummies = (0..<4).map { TestDummy(in: context, number: $0) }
            for dummy in [dummies[0], dummies[2]] { dummy.name = "new" }
            #expect(context.updatedObjects.isEmpty)
            try context.save()
            token.cancel()
            return told
        }
        #expect(told == ["4 and 0"])
    }

    @Test func `insert, save and update is an update`() async throws {
        let stack = try Stack(.all)
        try await stack.insertFour(saving: true)
        stack.merge()
        stack.delegate.forget()
        try await stack.updateTwo(saving: false)
        #expect(
            try await stack.counts()
                == ["registered": 4, "inserted": 0, "updated": 2, "deleted": 0])
        try await stack.save()
        stack.merge()
        #expect(stack.told == ["update 0", "update 2"])
        #expect(stack.controller.fetchedObjects?.map(\.name) == ["even 0", "1", "even 2", "3"])
    }

    @Test func `objects that an update makes match after their first save appear`() async throws {
        let earlier = try Stack(.even)
        earlier.controller.delegate = nil
        try await earlier.insertFour(saving: true)
        let stack = try Stack(.even, earlier.container)
        #expect(stack.main.registeredObjects.isEmpty, "the main context does not know them")
        try await stack.updateTwo(saving: true)
        stack.merge()
        #expect(stack.told == ["insert 0", "insert 2"])
        #expect(stack.shown == [0, 2])
    }

    @Test func `objects that an update makes match appear though the main context has them`()
        async throws
    {
        let stack = try Stack(.even)
        try await stack.insertFour(saving: true)
        let known = try stack.main.fetch(TestDummy.fetchRequest())
        let faults = known.map(\.isEven)
        #expect(faults == [false, false, false, false])
        stack.main.refresh(known[0], mergeChanges: false)
        try await stack.updateTwo(saving: true)
        stack.merge()
        #expect(stack.told == ["insert 0", "insert 2"])
    }

    @Test func `objects that an update lets not match any more go`() async throws {
        let stack = try Stack(.even)
        try await stack.insertFour(saving: true)
        try await stack.updateTwo(saving: true)
        stack.merge()
        stack.delegate.forget()
        try await stack.background.perform { context in
            for dummy in try context.fetch(TestDummy.fetchRequest()) { dummy.isEven.toggle() }
            try context.save()
        }
        stack.merge()
        #expect(stack.told == ["delete 0", "delete 2", "insert 1", "insert 3"])
    }

    // MARK: Deleting

    @Test func `objects deleted before the first save leave the net difference`() async throws {
        let stack = try Stack(.all)
        try await stack.insertFour(saving: false)
        try await stack.deleteTwo(saving: false)
        #expect(
            try await stack.counts()
                == ["registered": 2, "inserted": 2, "updated": 0, "deleted": 0])
        try await stack.save()
        stack.merge()
        #expect(stack.told == ["insert 1", "insert 3"])
    }

    @Test func `objects deleted after the save are deleted objects, and go`() async throws {
        let stack = try Stack(.all)
        try await stack.insertFour(saving: true)
        stack.merge()
        stack.delegate.forget()
        try await stack.deleteTwo(saving: false)
        #expect(try await stack.counts()["deleted"] == 2)
        let held = stack.controller.fetchedObjects ?? []
        try await stack.save()
        stack.merge()
        #expect(stack.told == ["delete 0", "delete 2"])
        #expect(held.map(\.isDeleted) == [true, false, true, false])
        #expect(try await stack.counts()["deleted"] == 0)
    }

    @Test(arguments: Filter.allCases)
    func `what was deleted before or after the save is not there, whatever the filter`(
        _ filter: Filter
    ) async throws {
        let before = try Stack(filter)
        try await before.background.perform { context in
            for number: Int64 in 0..<4 { _ = TestDummy(in: context, number: number) }
        }
        try await before.deleteTwo(saving: true)
        before.merge()
        #expect(before.told == (filter == .all ? ["insert 1", "insert 3"] : []))
        let after = try Stack(filter)
        try await after.background.perform { context in
            for number: Int64 in 0..<4 { _ = TestDummy(in: context, number: number) }
            try context.save()
        }
        after.merge()
        after.delegate.forget()
        try await after.deleteTwo(saving: true)
        after.merge()
        #expect(after.told == ["delete 0", "delete 2"])
        #expect(after.shown == (filter == .all ? [1, 3] : []))
    }

    @Test func `during a save the sets are in transition, and their notifications say how`()
        async throws
    {
        let stack = try Stack(.all)
        try await stack.insertFour(saving: true)
        try await stack.deleteTwo(saving: false)
        let seen = try await stack.background.perform { context in
            var seen: [String] = []
            func note(_ moment: String) {
                seen.append("\(moment): \(context.deletedObjects.count) deleted")
            }
            let tokens = [
                context.observe(.willSave) { note("will save") },
                context.observe(.didSave) { saved in
                    seen.append("did save: \(saved.deleted.count)")
                    note("after it")
                },
            ]
            try context.save()
            for token in tokens { token.cancel() }
            return seen
        }
        #expect(seen == ["will save: 2 deleted", "did save: 2", "after it: 0 deleted"])
    }

    @Test func `the main context is told which of its objects another save has deleted`()
        async throws
    {
        let stack = try Stack(.all)
        try await stack.insertFour(saving: true)
        stack.merge()
        let before = stack.main.registeredObjects
        var deleted: Set<ManagedObject> = []
        let token = stack.main.observe(.objectsDidChange) { deleted = $0.deleted }
        try await stack.deleteTwo(saving: true)
        stack.merge()
        #expect(before.count == 4)
        #expect(deleted.count == 2 && deleted.isSubset(of: before))
        #expect(stack.main.registeredObjects == before.subtracting(deleted))
        token.cancel()
    }

    @Test func `a deletion reaches the objects that the main context has, and tells of no others`()
        async throws
    {
        let stack = try Stack(.even)
        try await stack.insertFour(saving: true)
        stack.merge()
        stack.main.reset()
        let zero = TestDummy.fetchRequest().filter(TestDummy.id == 0)
        let known = try #require(stack.main.fetch(zero).first)
        var deleted: Set<ManagedObject> = []
        let token = stack.main.observe(.objectsDidChange) { deleted.formUnion($0.deleted) }
        try await stack.deleteTwo(saving: true)
        stack.merge()
        #expect(deleted == [known])
        #expect(known.isDeleted)
        #expect(stack.told == [])
        token.cancel()
    }

    // MARK: Tracking

    @Test func `without a delegate the results stay as they were fetched`() async throws {
        let stack = try Stack(.all)
        stack.controller.delegate = nil
        try await stack.insertFour(saving: true)
        stack.merge()
        #expect(stack.shown == [])
    }

    @Test func `a delegate that comes late is told what it missed`() async throws {
        let stack = try Stack(.all)
        stack.controller.delegate = nil
        try await stack.insertFour(saving: true)
        stack.merge()
        stack.controller.delegate = stack.delegate
        #expect(stack.told == ["insert 0", "insert 1", "insert 2", "insert 3"])
    }

    @Test func `a new fetch is not told`() async throws {
        let stack = try Stack(.all)
        stack.controller.delegate = nil
        try await stack.insertFour(saving: true)
        stack.merge()
        try stack.controller.performFetch()
        stack.controller.delegate = stack.delegate
        #expect(stack.shown == [0, 1, 2, 3])
        #expect(stack.told == [])
    }
}
