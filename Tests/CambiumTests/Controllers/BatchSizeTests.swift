@testable import Cambium
import TestDummyModel
import Testing

/// Controllers that keep keys, and read objects in windows.
struct BatchSizeTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<TestDummy>

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        let writer = container.newContext()
        for number: Int64 in 0..<3000 { _ = TestDummy(in: writer, number: number) }
        try writer.save()
        context = container.newContext()
        var request = TestDummy.fetchRequest().sorted(by: TestDummy.id.descending)
        request.batchSize = 20
        controller = FetchedResultsController(request, in: context)
        try controller.performFetch()
    }

    /// The ids of the rows whose objects the context has.
    private var registered: Set<Int64> {
        Set(context.registeredObjects.filter { !$0.isFault }.map(\.objectID.key))
    }

    @Test func `objects are read in windows, as they are looked at`() throws {
        context.reset()
        #expect(controller.sections.map(\.numberOfObjects) == [3000])
        #expect(registered.isEmpty)
        let row = try #require(controller.object(at: ItemPath(section: 0, item: 47)))
        #expect(row.id == 2952)
        #expect(registered.count == 20)
        let neighbour = controller.object(at: ItemPath(section: 0, item: 59))
        #expect(neighbour?.id == 2940)
        #expect(registered.count == 20, "the same window")
        #expect(controller.object(at: ItemPath(section: 0, item: 60))?.id == 2939)
        #expect(registered.count == 40)
        #expect(controller.indexPath(for: row) == ItemPath(section: 0, item: 47))
        #expect(controller.object(at: ItemPath(section: 0, item: 3000)) == nil)
    }

    @Test func `the list has no object of its own`() {
        let chunks = controller.list.rows.chunks
        #expect(chunks.allSatisfy { $0.objects.isEmpty && !$0.rows.isEmpty })
        #expect(controller.snapshot.numberOfItems == 3000)
    }

    @Test func `changes are told as with objects`() throws {
        context.reset()
        try controller.performFetch()
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        let other = container.newContext()
        let dummies = try other.fetch(TestDummy.fetchRequest().sorted(by: TestDummy.id))
        other.delete(dummies[5])
        dummies[6].name = "new"
        dummies[7].id = 10_000
        _ = TestDummy(in: other, number: 2995)
        try other.save()
        context.mergePending()
        #expect(
            delegate.words { "\($0.id)" }
                == ["delete 5", "insert 2995", "move 10000", "update 6"])
        #expect(delegate.faults == [])
        let fetched = try context.fetch(controller.fetchRequest)
        #expect(controller.fetchedObjects == fetched)
    }

    /// The words of one difference, which the list has told since it was last asked.
    private func words(_ changes: FetchedResultsChanges<TestDummy>) -> [String] {
        (changes.take()?.changes ?? []).map { change in
            switch change {
            case .insert(let dummy, _): "insert \(dummy.id)"
            case .delete(let dummy, _): "delete \(dummy.id)"
            case .move(let dummy, _, _): "move \(dummy.id)"
            case .update(let dummy, _, _): "update \(dummy.id)"
            }
        }
    }

    @Test func `a row that nobody has an object of is told when it changes or goes`() throws {
        let changes = controller.changes
        context.dropUnheldObjects()
        #expect(context.registeredObjects.isEmpty)
        let other = container.newContext()
        let six = TestDummy.fetchRequest().filter(TestDummy.id == 6)
        try other.fetch(six).first?.name = "new"
        let seven = TestDummy.fetchRequest().filter(TestDummy.id == 7)
        other.delete(try #require(other.fetch(seven).first))
        try other.save()
        context.mergePending()
        // The values of the deleted one are gone with its row.
        #expect(words(changes) == ["delete 0", "update 6"])
        #expect(controller.sections.map(\.numberOfObjects) == [2999])
    }

    @Test(arguments: [false, true])
    func `a row that is deleted and inserted again between two merges stays`(
        _ isHeld: Bool
    ) throws {
        let changes = controller.changes
        context.dropUnheldObjects()
        let held = isHeld ? controller.object(at: ItemPath(section: 0, item: 2993)) : nil
        context.dropUnheldObjects()
        #expect(context.registeredObjects.count == (isHeld ? 20 : 0), "a window, or none")
        let (other, third) = (container.newContext(), container.newContext())
        third.mergePolicy = .objectTrump
        let six = TestDummy.fetchRequest().filter(TestDummy.id == 6)
        try third.fetch(six).first?.id = 9000
        other.delete(try #require(other.fetch(six).first))
        try other.save()
        try third.save()
        context.mergePending()
        #expect(words(changes) == ["move 9000"])
        #expect(controller.sections.map(\.numberOfObjects) == [3000])
        let fetched = try context.fetch(controller.fetchRequest)
        #expect(controller.fetchedObjects == fetched)
        withExtendedLifetime(held) {}
    }

    @Test func `unsaved changes count at the fetch too`() throws {
        let first = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
        first.id = -1
        _ = TestDummy(in: context, number: 5000)
        try controller.performFetch()
        #expect(controller.object(at: ItemPath(section: 0, item: 0))?.id == 5000)
        #expect(controller.object(at: ItemPath(section: 0, item: 3000)) === first)
    }
}
