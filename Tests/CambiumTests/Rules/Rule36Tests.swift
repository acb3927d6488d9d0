import Cambium
import TestDummyModel
import Testing

/// A sibling's save makes objects match, or match no more.
@Suite(.onServers)
struct Rule36Tests {
    /// A controller of the even dummies in a context that merges on demand, and a sibling.
    private struct Siblings {
        let main: ManagedObjectContext
        let sibling: ManagedObjectContext
        let controller: FetchedResultsController<TestDummy>
        let delegate: MirrorDelegate<TestDummy>

        init(_ container: PersistentContainer) throws {
            (main, sibling) = (container.newContext(), container.newContext())
            for number: Int64 in 0..<4 {
                _ = TestDummy(in: sibling, id: number, name: "\(number)", isEven: number == 0)
            }
            try sibling.save()
            controller = FetchedResultsController(
                TestDummy.fetchRequest().filter(TestDummy.isEven == true)
                    .sorted(by: TestDummy.name),
                in: main)
            try controller.performFetch()
            delegate = MirrorDelegate(controller)
            controller.delegate = delegate
        }

        var told: [String] { delegate.words { "\($0.id)" } }
        var shown: [Int64] { (controller.fetchedObjects ?? []).map(\.id) }
    }

    private func withSiblings(
        _ kind: StoreKind, _ body: (Siblings) throws -> Void
    ) throws {
        try withContainer(TestDummies.model, on: kind) { container in
            let siblings = try Siblings(container)
            try body(siblings)
            #expect(siblings.delegate.faults == [])
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `rule 36: what a sibling makes match is inserted, though it was never registered`(
        _ kind: StoreKind
    ) throws {
        try withSiblings(kind) { siblings in
            let dummies = try siblings.sibling.fetch(
                TestDummy.fetchRequest().sorted(by: TestDummy.id))
            dummies[2].isEven = true
            try siblings.sibling.save()
            #expect(siblings.main.registeredObject(for: dummies[2].objectID) == nil)
            siblings.main.mergePending()
            #expect(siblings.told == ["insert 2"])
            #expect(siblings.shown == [0, 2])
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `rule 36: what a sibling makes match no more is deleted`(_ kind: StoreKind) throws {
        try withSiblings(kind) { siblings in
            for dummy in try siblings.sibling.fetch(TestDummy.fetchRequest()) {
                dummy.isEven = false
            }
            try siblings.sibling.save()
            siblings.main.mergePending()
            #expect(siblings.told == ["delete 0"])
            #expect(siblings.shown == [])
        }
    }
}
