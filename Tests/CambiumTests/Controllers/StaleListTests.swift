import Cambium
import TestDummyModel
import Testing

/// Controllers whose context is behind the store.
struct StaleListTests {
    private let container: PersistentContainer
    /// Merges only when asked.
    private let main: ManagedObjectContext
    private let other: ManagedObjectContext
    private let controller: FetchedResultsController<TestDummy>

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        let (main, other) = (container.newContext(), container.newContext())
        (self.main, self.other) = (main, other)
        for number: Int64 in 0..<4 { _ = TestDummy(in: other, number: number) }
        try other.save()
        main.mergePending()
        controller = FetchedResultsController(
            TestDummy.fetchRequest().sorted(by: TestDummy.name), in: main)
    }

    @Test func `rule 47: a reset tells nothing, and the next change brings all up to date`() throws
    {
        try controller.performFetch()
        let changes = controller.changes
        let former = controller.fetchedObjects ?? []
        main.reset()
        #expect(controller.fetchedObjects == former)
        let new = TestDummy(in: main, number: 9)
        main.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 5)
        #expect(controller.fetchedObjects?.contains(new) == true)
        #expect(controller.fetchedObjects?.contains { former.contains($0) } == false)
        withExtendedLifetime(changes) {}
    }

    private func shown() -> [String] { (controller.fetchedObjects ?? []).map(\.name) }

    @Test func `a list is in the order of the values that its objects show`() throws {
        let held = try main.fetch(TestDummy.fetchRequest())
        let theirs = try other.fetch(TestDummy.fetchRequest().sorted(by: TestDummy.id))
        theirs[0].name = "Z"
        try other.save()
        try controller.performFetch()
        #expect(held.count == 4)
        #expect(shown() == ["Dummy 0", "Dummy 1", "Dummy 2", "Dummy 3"])
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        main.mergePending()
        #expect(shown() == ["Dummy 1", "Dummy 2", "Dummy 3", "Z"])
        #expect(delegate.words { "\($0.id)" } == ["move 0"])
        #expect(delegate.faults == [])
    }

    @Test func `rows that the fetch had already are not told again when they are merged`() throws {
        let theirs = try other.fetch(TestDummy.fetchRequest().sorted(by: TestDummy.id))
        theirs[0].name = "A"
        try other.save()
        try controller.performFetch()
        #expect(shown() == ["A", "Dummy 1", "Dummy 2", "Dummy 3"])
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        main.mergePending()
        #expect(delegate.told.isEmpty)
    }

    @Test func `more saves than are kept for a context bring the list up to date`() throws {
        try controller.performFetch()
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        let theirs = try other.fetch(TestDummy.fetchRequest().sorted(by: TestDummy.id))
        for number: Int64 in 0..<300 {
            theirs[0].name = "A \(number)"
            if number.isMultiple(of: 50) { _ = TestDummy(in: other, number: 100 + number) }
            if number == 10 { other.delete(theirs[3]) }
            try other.save()
        }
        main.mergePending()
        #expect(shown().first == "A 299")
        #expect(shown().count == 9)
        // The values of the deleted one are gone with its row.
        let told = delegate.words(\.name).filter { !$0.hasPrefix("insert") }
        #expect(told == ["delete ", "update A 299"])
        #expect(delegate.faults == [])
    }

    @Test func `what a conflict merges into an object is told`() throws {
        try controller.performFetch()
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        let mine = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
        mine.isEven.toggle()
        main.processPendingChanges()
        delegate.forget()
        let theirs = try other.get(mine.objectID, as: TestDummy.self)
        theirs.name = "Z"
        try other.save()
        main.mergePolicy = .objectTrump
        try main.save()
        #expect(mine.name == "Z")
        #expect(shown().last == "Z")
        #expect(delegate.words { "\($0.id)" } == ["move 0"])
        #expect(delegate.faults == [])
    }

    @Test func `a row that is deleted and inserted again is another object`() throws {
        let third = container.newContext()
        third.mergePolicy = .objectTrump
        try controller.performFetch()
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        let mine = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
        let again = try third.get(mine.objectID, as: TestDummy.self)
        again.name = "Again"
        other.delete(try other.get(mine.objectID, as: TestDummy.self))
        try other.save()
        try third.save()
        main.mergePending()
        #expect(shown() == ["Again", "Dummy 1", "Dummy 2", "Dummy 3"])
        #expect(controller.object(at: ItemPath(section: 0, item: 0)) !== mine)
        #expect(mine.isDeleted)
        #expect(delegate.faults == [])
    }
}
