import Cambium
import TestDummyModel
import Testing

/// An update is told for what changed, once, and for nothing else.
struct SeenValuesTests {
    private let container: PersistentContainer
    private let main: ManagedObjectContext
    private let dummies: [TestDummy]
    private let controller: FetchedResultsController<TestDummy>
    private let delegate: MirrorDelegate<TestDummy>

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        let main = container.newContext()
        self.main = main
        dummies = (0..<3).map { TestDummy(in: main, number: $0) }
        try main.save()
        controller = FetchedResultsController(
            TestDummy.fetchRequest().sorted(by: TestDummy.id), in: main)
        try controller.performFetch()
        delegate = MirrorDelegate(controller)
        controller.delegate = delegate
    }

    private var told: [String] { delegate.words { "\($0.id)" } }

    @Test
    func `an object that was seen unsaved is not told again when it is refreshed after a save`()
        throws
    {
        dummies[0].name = "new"
        main.processPendingChanges()
        #expect(told == ["update 0"])
        try main.save()
        main.refresh(dummies[0], mergeChanges: false)
        main.processPendingChanges()
        #expect(told == ["update 0"])
        #expect(delegate.faults == [])
    }

    @Test func `changes that a refresh drops are told`() {
        dummies[0].name = "new"
        main.processPendingChanges()
        delegate.forget()
        main.refresh(dummies[0], mergeChanges: false)
        main.processPendingChanges()
        #expect(told == ["update 0"])
        #expect(dummies[0].name == "Dummy 0")
    }

    @Test func `a value that is set to what it was is no update`() {
        dummies[0].name = "Dummy 0"
        main.processPendingChanges()
        #expect(told == [])
        dummies[0].name = "new"
        main.processPendingChanges()
        dummies[0].name = "new"
        main.processPendingChanges()
        #expect(told == ["update 0"])
        dummies[0].name = "Dummy 0"
        main.processPendingChanges()
        #expect(told == ["update 0", "update 0"])
    }

    @Test func `a refetch tells of unsaved objects only what changed`() throws {
        dummies[0].name = "new"
        main.processPendingChanges()
        delegate.forget()
        try controller.refetch()
        #expect(told == [])
    }

    @Test func `a child's controller tells a change once, and a refresh of the same values never`()
        throws
    {
        let child = main.newChildContext()
        let lists = FetchedResultsController(
            TestDummy.fetchRequest().sorted(by: TestDummy.id), in: child)
        try lists.performFetch()
        let delegate = MirrorDelegate(lists)
        lists.delegate = delegate
        let first = try #require(lists.object(at: ItemPath(section: 0, item: 0)))
        child.refresh(first, mergeChanges: false)
        child.processPendingChanges()
        #expect(delegate.told.isEmpty)
        dummies[0].name = "new"
        try main.save()
        child.mergePending()
        #expect(delegate.words { "\($0.id)" } == ["update 0"])
        delegate.forget()
        child.refresh(first, mergeChanges: false)
        child.processPendingChanges()
        #expect(delegate.told.isEmpty)
        #expect(delegate.faults == [])
    }
}
