@testable import Cambium
import Foundation
import ShopModel
import TestDummyModel
import Testing

/// The forms in which changes are delivered say the same.
struct DeliveryTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<TestDummy>

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        let context = container.newContext()
        self.context = context
        for number: Int64 in 0..<4 { _ = TestDummy(in: context, number: number) }
        try context.save()
        controller = FetchedResultsController(
            TestDummy.fetchRequest().sorted(by: TestDummy.name), in: context)
        try controller.performFetch()
    }

    private func object(_ item: Int) throws -> TestDummy {
        try #require(controller.object(at: ItemPath(section: 0, item: item)))
    }

    /// Deletes the first, moves the second to the end, updates the third, inserts a new one.
    private func change() throws {
        let (first, second, third) = try (object(0), object(1), object(2))
        context.delete(first)
        second.name = "Z"
        third.isEven.toggle()
        _ = TestDummy(in: context, id: 9, name: "A", isEven: true)
        context.processPendingChanges()
    }

    @Test func `a snapshot delegate is told what the results are now, and nothing else`() throws {
        let delegate = SnapshotDelegate()
        controller.delegate = delegate
        let (second, third) = try (object(1), object(2))
        try change()
        let snapshot = try #require(delegate.snapshots.last)
        #expect(delegate.snapshots.count == 1)
        #expect(delegate.otherCalls == 0)
        #expect(snapshot.sections.map(\.name) == [""])
        #expect(snapshot.itemIDs == controller.fetchedObjects?.map(\.objectID))
        #expect(snapshot.numberOfItems == 4)
        #expect(snapshot.reconfiguredItemIDs == [second.objectID, third.objectID])
        #expect(controller.snapshot.sections == snapshot.sections)
    }

    @Test func `rule 48: an identity is final from insert, and a save changes no snapshot`() throws
    {
        let delegate = SnapshotDelegate()
        controller.delegate = delegate
        try change()
        let before = controller.snapshot
        try context.save()
        #expect(controller.snapshot == before)
        #expect(delegate.snapshots.count == 1)
    }

    @Test func `a difference delegate can bring its own list of ids up to date`() throws {
        let delegate = DifferenceDelegate(controller.snapshot.itemIDs)
        controller.delegate = delegate
        try change()
        #expect(delegate.ids == controller.snapshot.itemIDs)
        #expect(delegate.differences.count == 1)
        #expect(delegate.differences.first?.removals.count == 2)
        #expect(delegate.differences.first?.insertions.count == 2)
        #expect(delegate.otherCalls == 0)
    }

    @Test func `the calls, the sequence and the snapshot come from one computation`() throws {
        let mirror = MirrorDelegate(controller)
        controller.delegate = mirror
        try change()
        #expect(
            mirror.words(\.name) == ["delete Dummy 0", "insert A", "move Z", "update Dummy 2"])
        #expect(mirror.mirror.objects.map(\.objectID) == controller.snapshot.itemIDs)
        #expect(mirror.faults == [])
    }

    @Test func `a list without sections has one, also where it is empty`() throws {
        let empty = FetchedResultsController(
            TestDummy.fetchRequest().filter(TestDummy.id > 100).sorted(by: TestDummy.name),
            in: context)
        #expect(empty.sections.isEmpty, "before the fetch")
        try empty.performFetch()
        #expect(empty.sections.map(\.numberOfObjects) == [0])
        #expect(empty.sections.map(\.name) == [""])
        let delegate = MirrorDelegate(empty)
        empty.delegate = delegate
        let new = TestDummy(in: context, number: 101)
        context.processPendingChanges()
        context.delete(new)
        context.processPendingChanges()
        #expect(delegate.words { "\($0.id)" } == ["insert 101", "delete 101"])
        #expect(
            delegate.told.allSatisfy { $0.insertedSections.isEmpty && $0.deletedSections.isEmpty })
        #expect(empty.sections.map(\.numberOfObjects) == [0])
        #expect(delegate.faults == [])
    }

    // MARK: Another request

    @Test func `another request takes effect with the next fetch, which tells nobody`() throws {
        let mirror = MirrorDelegate(controller)
        controller.delegate = mirror
        controller.fetchRequest = controller.fetchRequest.filter(TestDummy.isEven == true)
        _ = TestDummy(in: context, number: 7)
        context.processPendingChanges()
        #expect(mirror.words(\.name) == ["insert Dummy 7"], "the old request is followed")
        mirror.forget()
        try controller.performFetch()
        #expect(mirror.told.isEmpty)
        #expect(controller.fetchedObjects?.map(\.id) == [0, 2])
        _ = TestDummy(in: context, number: 9)
        context.processPendingChanges()
        #expect(mirror.told.isEmpty, "the new request is followed")
    }

    @Test func `a refetch with another condition tells what comes and goes`() throws {
        let mirror = MirrorDelegate(controller)
        controller.delegate = mirror
        controller.fetchRequest.condition = TestDummy.id > 1
        try controller.refetch()
        #expect(mirror.words(\.name) == ["delete Dummy 0", "delete Dummy 1"])
        controller.fetchRequest.condition = nil
        try controller.refetch()
        #expect(mirror.words(\.name).suffix(2) == ["insert Dummy 0", "insert Dummy 1"])
        #expect(mirror.faults == [])
    }

    @Test func `a refetch in another order moves objects, and updates none`() throws {
        let mirror = MirrorDelegate(controller)
        controller.delegate = mirror
        let slow = controller.changes
        var slowMirror = ListMirror(controller.sections)
        controller.fetchRequest = controller.fetchRequest.sorted(by: TestDummy.name.descending)
        try controller.refetch()
        #expect(controller.fetchedObjects?.map(\.id) == [3, 2, 1, 0])
        #expect(mirror.words(\.name).allSatisfy { $0.hasPrefix("move") })
        #expect(mirror.words(\.name).count == 3, "one can stay")
        _ = TestDummy(in: context, number: 5)
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.map(\.id) == [5, 3, 2, 1, 0])
        let difference = try #require(slow.take())
        try slowMirror.apply(.init(difference))
        #expect(slowMirror == ListMirror(controller.sections))
        #expect(mirror.faults == [])
    }

    @Test func `a refetch that fails leaves the results as they were`() throws {
        controller.fetchRequest.sortOrders = []
        #expect(throws: StoreError.self) { try controller.refetch() }
        #expect(controller.fetchedObjects?.count == 4)
    }

    // MARK: Delegates

    private final class SnapshotDelegate: FetchedResultsSnapshotDelegate {
        private(set) var snapshots: [FetchedResultsSnapshot] = []
        private(set) var otherCalls = 0

        func controller(
            _ controller: FetchedResultsController<TestDummy>,
            didChangeContentWith snapshot: FetchedResultsSnapshot
        ) {
            snapshots.append(snapshot)
        }

        func controllerWillChangeContent(_ controller: FetchedResultsController<TestDummy>) {
            otherCalls += 1
        }
    }

    private final class DifferenceDelegate: FetchedResultsDifferenceDelegate {
        private(set) var ids: [ObjectID]
        private(set) var differences: [CollectionDifference<ObjectID>] = []
        private(set) var otherCalls = 0

        init(_ ids: [ObjectID]) {
            self.ids = ids
        }

        func controller(
            _ controller: FetchedResultsController<TestDummy>,
            didChangeContentWith difference: CollectionDifference<ObjectID>
        ) {
            differences.append(difference)
            ids = ids.applying(difference) ?? []
        }

        func controllerWillChangeContent(_ controller: FetchedResultsController<TestDummy>) {
            otherCalls += 1
        }
    }
}
