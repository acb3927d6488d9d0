@testable import Cambium
import Foundation
import ShopModel
import TestDummyModel
import Testing

/// What comes into a condition, changes in it and goes out of it.
@Suite(.onServers)
struct ContextObserverTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let other: ManagedObjectContext

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        context = container.newContext()
        context.automaticallyMergesChangesFromParent = true
        other = container.newContext()
        for number: Int64 in 0..<4 { _ = TestDummy(in: other, number: number) }
        try other.save()
        context.mergePending()
    }

    /// An observer of even dummies, and what it has told, in words.
    private final class Watch {
        private(set) var told: [String] = []
        private var observer: ContextObserver<TestDummy>?

        init(
            _ context: ManagedObjectContext, at moment: ContextObserver<TestDummy>.Moment = .change
        ) throws {
            observer = try ContextObserver(TestDummy.isEven == true, in: context, at: moment) {
                [weak self] changes in
                self?.told += changes.inserted.map { "insert \($0.objectID.key)" }.sorted()
                self?.told += changes.updated.map { "update \($0.objectID.key)" }.sorted()
                self?.told += changes.deleted.map { "delete \($0.objectID.key)" }.sorted()
            }
        }

        var count: Int { observer?.count ?? 0 }

        func end() {
            observer = nil
        }

        func take() -> [String] {
            defer { told = [] }
            return told
        }
    }

    private func dummy(_ number: Int64, in context: ManagedObjectContext) throws -> TestDummy {
        try #require(
            context.fetch(TestDummy.fetchRequest().filter(TestDummy.id == number)).first)
    }

    @Test func `changes here are told when they are processed, before the save`() throws {
        let watch = try Watch(context)
        let (zero, one) = try (dummy(0, in: context), dummy(1, in: context))
        zero.name = "new"
        one.isEven = true
        let new = TestDummy(in: context, number: 8)
        #expect(watch.told == [])
        context.processPendingChanges()
        let keys = [one, new].map(\.objectID.key).sorted { "\($0)" < "\($1)" }
        #expect(watch.take() == keys.map { "insert \($0)" } + ["update \(zero.objectID.key)"])
        zero.isEven = false
        context.delete(new)
        context.processPendingChanges()
        #expect(Set(watch.take()) == ["delete \(zero.objectID.key)", "delete \(new.objectID.key)"])
        try context.save()
        #expect(watch.told == [])
        #expect(watch.count == 2)
    }

    @Test func `at the moment of the save its sum is told, judged on what was saved before`() throws
    {
        let watch = try Watch(context, at: .save)
        let (zero, two) = try (dummy(0, in: context), dummy(2, in: context))
        zero.isEven = false
        context.processPendingChanges()
        #expect(watch.told == [])
        // It does not match any more when it is deleted, but it did when it was last saved.
        context.delete(zero)
        two.name = "new"
        let new = TestDummy(in: context, number: 8)
        context.delete(TestDummy(in: context, number: 10))
        context.processPendingChanges()
        #expect(watch.told == [])
        try context.save()
        #expect(
            watch.take() == [
                "insert \(new.objectID.key)", "update \(two.objectID.key)",
                "delete \(zero.objectID.key)",
            ])
        two.name = "newer"
        context.processPendingChanges()
        context.rollback()
        #expect(watch.told == [])
    }

    @Test(arguments: [ContextObserver<TestDummy>.Moment.change, .save])
    func `what another context saves is told, also of objects that this one does not have`(
        _ moment: ContextObserver<TestDummy>.Moment
    ) throws {
        let watch = try Watch(context, at: moment)
        let dummies = try other.fetch(TestDummy.fetchRequest().sorted(by: TestDummy.id))
        let keys = dummies.map(\.objectID.key)
        dummies[1].isEven = true
        dummies[0].isEven = false
        dummies[2].name = "new"
        try other.save()
        context.mergePending()
        #expect(
            watch.take() == ["insert \(keys[1])", "update \(keys[2])", "delete \(keys[0])"])
        other.delete(dummies[1])
        other.delete(dummies[3])
        try other.save()
        context.mergePending()
        #expect(watch.take() == ["delete \(keys[1])"])
        #expect(watch.count == 1)
        try context.save()
    }

    @Test func `an object that nobody holds here is told when another context changes it`()
        throws
    {
        let watch = try Watch(context)
        let two = try dummy(2, in: other)
        context.dropUnheldObjects()
        #expect(context.registeredObjects.isEmpty)
        two.name = "new"
        try other.save()
        context.mergePending()
        #expect(watch.take() == ["update \(two.objectID.key)"])
        // Deleted and inserted again, between two merges.
        context.dropUnheldObjects()
        let third = container.newContext()
        third.mergePolicy = .objectTrump
        try dummy(2, in: third).name = "newer"
        other.delete(two)
        try other.save()
        try third.save()
        context.mergePending()
        #expect(watch.take() == ["update \(two.objectID.key)"])
        #expect(watch.count == 2)
        #expect(try dummy(2, in: context).name == "newer")
    }

    @Test func `a reset, or more saves than are kept, loses nothing`() throws {
        let watch = try Watch(context)
        let dummies = try other.fetch(TestDummy.fetchRequest().sorted(by: TestDummy.id))
        context.reset()
        other.delete(dummies[0])
        for number: Int64 in 0..<300 {
            dummies[1].name = "\(number)"
            dummies[1].isEven = number.isMultiple(of: 2)
            try other.save()
        }
        dummies[3].isEven = true
        try other.save()
        context.mergePending()
        #expect(
            Set(watch.take())
                == ["delete \(dummies[0].objectID.key)", "insert \(dummies[3].objectID.key)"])
    }

    @Test func `an observer is over with its last reference`() throws {
        let watch = try Watch(context)
        watch.end()
        _ = TestDummy(in: context, number: 8)
        context.processPendingChanges()
        #expect(watch.told == [])
    }

    @Test func `a condition over related objects follows these`() throws {
        let shop = try ShopStack()
        var told: [String] = []
        let observer = try ContextObserver(
            Product.category.name == "Literature", in: shop.main
        ) { changes in
            told += changes.inserted.map { "insert \($0.title)" }
            told += changes.deleted.map { "delete \($0.title)" }
        }
        shop.product.category?.name = "Literature"
        shop.main.processPendingChanges()
        #expect(told == ["insert Untitled"])
        shop.main.rollback()
        #expect(told == ["insert Untitled", "delete Untitled"])
        withExtendedLifetime(observer) {}
    }

    @Test func `a request with a limit is refused`() throws {
        #expect(throws: StoreError.self) {
            try ContextObserver(TestDummy.fetchRequest().limit(1), in: context) { _ in }
        }
    }

    // MARK: Values

    @Test(.timeLimit(.minutes(10)))
    func `a count is given at the beginning and whenever it is another`() async throws {
        var counts = try context.observe(
            count: TestDummy.fetchRequest().filter(TestDummy.isEven == true)
        )
        .makeAsyncIterator()
        #expect(await counts.next(isolation: #isolation) == 2)
        try dummy(1, in: context).isEven = true
        try dummy(0, in: context).isEven = false
        context.processPendingChanges()
        _ = TestDummy(in: context, number: 8)
        context.processPendingChanges()
        #expect(await counts.next(isolation: #isolation) == 3)
    }

    @Test(.timeLimit(.minutes(10)))
    func `an object is given at the beginning, when it changes, and at its end`() async throws {
        let zero = try dummy(0, in: context)
        var values = context.observe(zero).makeAsyncIterator()
        #expect(await values.next(isolation: #isolation)?.name == "Dummy 0")
        let theirs = try dummy(0, in: other)
        theirs.name = "new"
        try dummy(1, in: other).name = "another"
        try other.save()
        context.mergePending()
        #expect(await values.next(isolation: #isolation)?.name == "new")
        other.delete(theirs)
        try other.save()
        context.mergePending()
        #expect(await values.next(isolation: #isolation)?.isDeleted == true)
        #expect(await values.next(isolation: #isolation) == nil)
    }
}
