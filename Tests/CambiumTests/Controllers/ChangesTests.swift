import Cambium
import Foundation
import TestDummyModel
import Testing

/// A controller's changes as a sequence.
@MainActor
struct ChangesTests {
    private let container: PersistentContainer
    private let background: BackgroundContext

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        background = container.newBackgroundContext()
    }

    private func makeController() throws -> FetchedResultsController<TestDummy> {
        let controller = FetchedResultsController(
            TestDummy.fetchRequest().sorted(by: TestDummy.id), in: container.viewContext)
        try controller.performFetch()
        return controller
    }

    /// Saves a dummy in the background.
    private func save(_ number: Int64) async throws {
        try await background.perform { context in
            _ = TestDummy(in: context, number: number)
            try context.save()
        }
    }

    private static func inserted(
        _ difference: FetchedResultsDifference<TestDummy>?
    ) -> [Int64] {
        (difference?.changes ?? []).compactMap { change in
            if case .insert(let dummy, _) = change { dummy.id } else { nil }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `what a background context saves arrives without any call`() async throws {
        let controller = try makeController()
        var changes = controller.changes.makeAsyncIterator()
        try await save(1)
        let first = await changes.next(isolation: #isolation)
        #expect(Self.inserted(first) == [1])
        try await save(2)
        let second = await changes.next(isolation: #isolation)
        #expect(Self.inserted(second) == [2])
        #expect(controller.fetchedObjects?.map(\.id) == [1, 2])
    }

    @Test(.timeLimit(.minutes(10)))
    func `what the main context changes arrives at the end of the event`() async throws {
        let controller = try makeController()
        var changes = controller.changes.makeAsyncIterator()
        let dummy = TestDummy(in: container.viewContext, number: 7)
        let inserted = await changes.next(isolation: #isolation)
        #expect(Self.inserted(inserted) == [7])
        dummy.name = "Seven"
        let updated = await changes.next(isolation: #isolation)
        #expect(updated?.changes.count == 1)
        container.viewContext.delete(dummy)
        let deleted = await changes.next(isolation: #isolation)
        #expect(deleted?.changes.count == 1)
        #expect(controller.fetchedObjects?.isEmpty == true)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a loop gets every change`() async throws {
        let controller = try makeController()
        var mirror = ListMirror(controller.sections)
        let changes = controller.changes
        let writer = Task { [background] in
            for number: Int64 in 0..<20 {
                try await background.perform { context in
                    _ = TestDummy(in: context, number: number)
                    try context.save()
                }
            }
        }
        for await difference in changes {
            try mirror.apply(.init(difference))
            #expect(mirror == ListMirror(controller.sections))
            if mirror.objects.count == 20 { break }
        }
        try await writer.value
        #expect(mirror.objects.map(\.id) == Array(0..<20))
    }

    @Test(.timeLimit(.minutes(10)))
    func `a slow consumer gets one difference for many changes`() async throws {
        let controller = try makeController()
        let context = container.viewContext
        var changes = controller.changes.makeAsyncIterator()
        var mirror = ListMirror(controller.sections)
        for number: Int64 in 0..<5 {
            _ = TestDummy(in: context, number: number)
            context.processPendingChanges()
        }
        for dummy in try context.fetch(TestDummy.fetchRequest()) where !dummy.isEven {
            context.delete(dummy)
            context.processPendingChanges()
        }
        let difference = try #require(await changes.next(isolation: #isolation))
        try mirror.apply(.init(difference))
        #expect(mirror == ListMirror(controller.sections))
        #expect(difference.changes.count == 3, "what came and went is not told")
    }

    @Test(.timeLimit(.minutes(10)))
    func `two consumers are independent`() async throws {
        let controller = try makeController()
        var one = controller.changes.makeAsyncIterator()
        var other = controller.changes.makeAsyncIterator()
        try await save(1)
        let first = await one.next(isolation: #isolation)
        #expect(Self.inserted(first) == [1])
        try await save(2)
        let second = await one.next(isolation: #isolation)
        #expect(Self.inserted(second) == [2])
        let both = await other.next(isolation: #isolation)
        #expect(Self.inserted(both) == [1, 2])
    }

    @Test(.timeLimit(.minutes(10)))
    func `a consumer that comes late begins with what it missed`() async throws {
        let controller = try makeController()
        try await save(1)
        container.viewContext.mergePending()
        #expect(controller.fetchedObjects?.isEmpty == true, "nobody follows")
        var changes = controller.changes.makeAsyncIterator()
        let missed = await changes.next(isolation: #isolation)
        #expect(Self.inserted(missed) == [1])
    }

    @Test(.timeLimit(.minutes(10)))
    func `cancelling the task ends the loop`() async throws {
        let controller = try makeController()
        let changes = controller.changes
        let isWaiting = Flag()
        let loop = Task { @MainActor in
            isWaiting.isSet = true
            for await _ in changes {}
            return true
        }
        while !isWaiting.isSet { await Task.yield() }
        loop.cancel()
        #expect(await loop.value)
    }

    @Test(.timeLimit(.minutes(10)))
    func `two loops over one sequence share its elements and both end`() async throws {
        let controller = try makeController()
        let changes = controller.changes
        let seen = Flag()
        let loops = (0..<2).map { _ in
            Task { @MainActor in
                for await difference in changes { seen.count += difference.changes.count }
            }
        }
        await Task.yield()
        try await save(1)
        try await save(2)
        while seen.count < 2 { await Task.yield() }
        for loop in loops { loop.cancel() }
        for loop in loops { await loop.value }
        #expect(seen.count == 2)
    }

    @Test(.timeLimit(.minutes(10)))
    func `nothing keeps a controller after its loop`() async throws {
        weak var weakController: FetchedResultsController<TestDummy>?
        var loop: Task<Void, Never>?
        do {
            let controller = try makeController()
            weakController = controller
            let changes = controller.changes
            loop = Task { @MainActor in
                for await _ in changes {}
            }
        }
        await Task.yield()
        #expect(weakController != nil, "the loop keeps it")
        loop?.cancel()
        await loop?.value
        loop = nil
        #expect(weakController == nil)
        try await save(1)
        container.viewContext.mergePending()
    }

    @Test(.timeLimit(.minutes(10)))
    func `a consumer's first difference is relative to the newest fetch`() async throws {
        let controller = try makeController()
        var changes = controller.changes.makeAsyncIterator()
        try await save(1)
        container.viewContext.mergePending()
        try controller.performFetch()
        try await save(2)
        let difference = await changes.next(isolation: #isolation)
        #expect(Self.inserted(difference) == [2])
    }

    @Test(.timeLimit(.minutes(10)))
    func `objects of a large save arrive though its rows do not come along`() async throws {
        let controller = try makeController()
        var changes = controller.changes.makeAsyncIterator()
        try await background.perform { context in
            for number: Int64 in 0..<12_000 { _ = TestDummy(in: context, number: number) }
            try context.save()
        }
        let difference = await changes.next(isolation: #isolation)
        #expect(difference?.changes.count == 12_000)
        try await background.perform { context in
            for dummy in try context.fetch(TestDummy.fetchRequest()) { dummy.name = "x" }
            try context.save()
        }
        let update = await changes.next(isolation: #isolation)
        #expect(update?.changes.count == 12_000)
        #expect(controller.fetchedObjects?.allSatisfy { $0.name == "x" } == true)
    }

    /// What tasks of the main actor tell each other.
    @MainActor
    private final class Flag {
        var isSet = false
        var count = 0
    }
}
