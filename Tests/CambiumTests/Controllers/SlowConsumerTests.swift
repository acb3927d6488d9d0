@testable import Cambium
import TestDummyModel
import Testing

/// A consumer that is kept and looks seldom.
struct SlowConsumerTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<TestDummy>
    private let former: [TestDummy]

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        let context = container.newContext()
        self.context = context
        former = (0..<3).map { TestDummy(in: context, number: $0) }
        controller = FetchedResultsController(
            TestDummy.fetchRequest().sorted(by: TestDummy.name), in: context)
        try controller.performFetch()
    }

    /// Lets many objects come and go, and changes those that were there in between.
    private func letPass(_ count: Int64) {
        for start in stride(from: 100, to: 100 + count, by: 50) {
            let passing = (start..<start + 50).map { TestDummy(in: context, number: $0) }
            if start == 600 { former[1].name = "A" }
            if start == 700 { former[2].isEven.toggle() }
            context.processPendingChanges()
            for dummy in passing { context.delete(dummy) }
            context.processPendingChanges()
        }
    }

    @Test func `what comes and goes while nobody looks takes up no memory`() {
        let changes = controller.changes
        letPass(5 * Int64(ResultConsumer.slack))
        #expect(changes.consumer.history.count <= ResultConsumer.slack + 6 + 50)
        #expect(changes.consumer.history.count >= 2, "it knows of those that stayed")
    }

    @Test func `what happened to those that stayed is told all the same`() throws {
        let changes = controller.changes
        let new = TestDummy(in: context, number: 50)
        context.processPendingChanges()
        context.delete(former[0])
        letPass(5 * Int64(ResultConsumer.slack))
        let difference = try #require(changes.take())
        var told: [String] = []
        for change in difference.changes {
            switch change {
            case .insert(let dummy, let path): told.append("insert \(dummy.id) \(path.item)")
            case .delete(let dummy, let path): told.append("delete \(dummy.id) \(path.item)")
            case .move(let dummy, let old, let path):
                told.append("move \(dummy.id) \(old.item) \(path.item)")
            case .update(let dummy, _, let path): told.append("update \(dummy.id) \(path.item)")
            }
        }
        #expect(controller.fetchedObjects == [former[1], former[2], new])
        #expect(told == ["delete 0 0", "insert 50 2", "update 1 0", "update 2 1"])
    }
}
