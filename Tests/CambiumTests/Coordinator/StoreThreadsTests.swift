import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import Cambium

/// What is waited for may take long: other tests keep the threads of tasks busy.
struct StoreThreadsTests {
    /// Counts the threads that wait for it to open.
    private final class Gate: Sendable {
        private struct State {
            var waiting = 0
            var most = 0
            var isOpen = false
        }

        private let state = Mutex(State())
        private let condition = NSCondition()

        var waiting: Int { state.withLock(\.waiting) }
        /// The most that have waited at once.
        var most: Int { state.withLock(\.most) }

        /// Waits, but not for ever: a test that fails should end.
        func wait() {
            state.withLock { state in
                state.waiting += 1
                state.most = max(state.most, state.waiting)
            }
            condition.lock()
            let end = Date(timeIntervalSinceNow: 300)
            while !state.withLock(\.isOpen), condition.wait(until: end) {}
            condition.unlock()
            state.withLock { $0.waiting -= 1 }
        }

        func open() {
            condition.lock()
            state.withLock { $0.isOpen = true }
            condition.broadcast()
            condition.unlock()
        }
    }

    /// What has happened, in its order.
    private final class Order<Element: Sendable>: Sendable {
        private let elements = Mutex<[Element]>([])

        var all: [Element] { elements.withLock { $0 } }

        func append(_ element: Element) { elements.withLock { $0.append(element) } }
    }

    private enum Local {
        @TaskLocal static var word = "nothing"
    }

    @Test func `a closure is part of the task that calls it`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let found = try await Local.$word.withValue("mine") {
            try await container.performBackgroundTask { _ in Local.word }
        }
        #expect(found == "mine")
        let priority = try await Task(priority: .background) {
            try await container.performBackgroundTask { _ in Task.basePriority }
        }.value
        #expect(priority == .background)
    }

    @Test func `the closure of a cancelled task runs, and knows of it`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let isCancelled = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await container.performBackgroundTask { _ in Task.isCancelled }
        }.value
        #expect(isCancelled)
    }

    @Test func `a closure runs in the isolation of its background context`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let background = container.newBackgroundContext()
        try await background.perform { _ in background.preconditionIsolated() }
    }

    @Test func `no more threads are busy than are allowed, and the rest has its turn`()
        async throws
    {
        let threads = StoreThreads(limit: 3)
        let gate = Gate()
        let run = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { await threads.run { gate.wait() } } }
            }
        }
        try await eventually(within: .seconds(900)) { gate.waiting == 3 }
        #expect(threads.busyCount == 3)
        gate.open()
        await run.value
        #expect(gate.most <= 3)
        try await eventually(within: .seconds(900)) { threads.busyCount == 0 }
        #expect(threads.busyCount == 0)
    }

    @Test func `of contexts that wait for a thread the one of the highest priority is next`()
        async throws
    {
        let threads = StoreThreads(limit: 1)
        let gate = Gate()
        let order = Order<TaskPriority>()
        let first = Task { await threads.run { gate.wait() } }
        try await eventually(within: .seconds(900)) { gate.waiting == 1 }
        let priorities: [TaskPriority] = [.background, .low, .medium, .high, .low]
        let waiting = priorities.map { priority in
            let executor = StoreExecutor(threads)
            return (executor, Recorder(executor), priority)
        }
        var tasks: [Task<Void, Never>] = []
        for (index, (_, recorder, priority)) in waiting.enumerated() {
            tasks.append(
                Task.detached(priority: priority) {
                    await recorder.record { order.append(priority) }
                })
            try await eventually(within: .seconds(900)) { threads.waitingCount == index + 1 }
        }
        gate.open()
        await first.value
        // Nobody waits for one of them while they run: that would raise its priority.
        try await eventually(within: .seconds(900)) { order.all.count == priorities.count }
        #expect(order.all == [.high, .medium, .low, .low, .background])
        for task in tasks { await task.value }
    }

    @Test func `a context that waits comes earlier when a more urgent call joins`() async throws {
        let threads = StoreThreads(limit: 1)
        let gate = Gate()
        let order = Order<String>()
        let first = Task { await threads.run { gate.wait() } }
        try await eventually(within: .seconds(900)) { gate.waiting == 1 }
        let (one, other) = (Recorder(StoreExecutor(threads)), Recorder(StoreExecutor(threads)))
        func call(_ recorder: Recorder, _ name: String, _ priority: TaskPriority) -> Task<
            Void, Never
        > {
            Task.detached(priority: priority) { await recorder.record { order.append(name) } }
        }
        var tasks = [call(one, "one", .background)]
        try await eventually(within: .seconds(900)) { threads.waitingCount == 1 }
        tasks.append(call(other, "other", .medium))
        try await eventually(within: .seconds(900)) { threads.waitingCount == 2 }
        tasks.append(call(one, "urgent", .high))
        try await Task.sleep(for: .milliseconds(300))
        gate.open()
        await first.value
        try await eventually(within: .seconds(900)) { order.all.count == 3 }
        #expect(order.all == ["urgent", "other", "one"])
        for task in tasks { await task.value }
    }

    private actor Recorder {
        private nonisolated let executor: StoreExecutor

        init(_ executor: StoreExecutor) {
            self.executor = executor
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        func record(_ body: @Sendable () -> Void) { body() }
    }

    @Test func `contexts that share a thread have their turns`() async throws {
        let threads = StoreThreads(limit: 1)
        let gate = Gate()
        let order = Order<String>()
        let first = Task { await threads.run { gate.wait() } }
        try await eventually(within: .seconds(900)) { gate.waiting == 1 }
        let (one, other) = (
            Recorder(StoreExecutor(threads)), Recorder(StoreExecutor(threads))
        )
        let tasks = [one, one, one, other].enumerated().map { index, recorder in
            Task(priority: .medium) {
                await recorder.record {
                    order.append(index < 3 ? "one" : "other")
                }
            }
        }
        try await eventually(within: .seconds(900)) { threads.waitingCount == 2 }
        // All of them are with their executors, soon after the first of each is.
        try await Task.sleep(for: .milliseconds(100))
        gate.open()
        await first.value
        for task in tasks { await task.value }
        let turn = try #require(order.all.firstIndex(of: "other"))
        #expect(turn <= 1)
    }

    @Test func `a background task may await others, as deep as it likes`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let depth = 3 * StoreThreads.defaultLimit
        let background = container.newBackgroundContext()
        @Sendable func descend(_ level: Int) async throws -> Int {
            guard level < depth else { return level }
            try await background.perform { _ = Node(in: $0, label: "\(level)") }
            return try await Waiter(container).wait { try await descend(level + 1) }
        }
        #expect(try await descend(0) == depth)
        #expect(try await background.perform { $0.insertedObjects.count } == depth)
    }

    /// An actor on a container's threads that awaits.
    private actor Waiter {
        private nonisolated let executor: StoreExecutor

        init(_ container: PersistentContainer) {
            executor = StoreExecutor(container.coordinator.threads)
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        func wait(_ body: @Sendable () async throws -> Int) async throws -> Int {
            try await body()
        }
    }

    @Test func `a closure may start a background task of the same container, and wait for it`()
        async throws
    {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let isInTime = try await container.performBackgroundTask { context in
            let end = DispatchSemaphore(value: 0)
            Task {
                try await container.performBackgroundTask { context in
                    _ = Node(in: context, label: "inner")
                    try context.save()
                }
                end.signal()
            }
            let isInTime = end.wait(timeout: .now() + 900) == .success
            let count = try context.count(for: Node.fetchRequest())
            #expect(count == 1)
            return isInTime
        }
        #expect(isInTime)
    }

    @Test func `a container whose threads are all busy holds up no other`() async throws {
        let busy = try PersistentContainer(model: Everything.model, at: .temporary)
        let free = try PersistentContainer(model: Everything.model, at: .temporary)
        let gate = Gate()
        let tasks = (0..<StoreThreads.defaultLimit + 2).map { _ in
            Task { try await busy.performBackgroundTask { _ in gate.wait() } }
        }
        try await eventually(within: .seconds(900)) { gate.waiting == StoreThreads.defaultLimit }
        #expect(gate.waiting == StoreThreads.defaultLimit)
        try await free.performBackgroundTask { _ = Node(in: $0) }
        #expect(gate.waiting == StoreThreads.defaultLimit)
        gate.open()
        for task in tasks { try await task.value }
        #expect(gate.most == StoreThreads.defaultLimit)
    }

    @Test func `a batch that waits for its elements needs no thread`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let background = container.newBackgroundContext()
        let (elements, continuation) = AsyncStream.makeStream(of: String.self)
        let task = Task {
            let request = AsyncBatchInsertRequest<Node, _>(elements) { $0.label = $1 }
            return try await background.execute(request).count
        }
        continuation.yield("first")
        // The context is free for others between the elements.
        for _ in 0..<3 { try await background.perform { _ in } }
        try await eventually(within: .seconds(900)) { container.coordinator.threads.busyCount == 0 }
        #expect(container.coordinator.threads.busyCount == 0)
        continuation.yield("second")
        continuation.finish()
        #expect(try await task.value == 2)
    }

    @Test func `nothing of a container stays when its tasks have ended`() async throws {
        weak var threads: StoreThreads?
        weak var context: BackgroundContext?
        do {
            let container = try PersistentContainer(model: Everything.model, at: .temporary)
            threads = container.coordinator.threads
            let background = container.newBackgroundContext()
            context = background
            try await background.perform { context in
                _ = Node(in: context)
                try context.save()
            }
            for _ in 0..<20 { try await container.performBackgroundTask { _ in } }
        }
        try await eventually(within: .seconds(900)) { threads == nil && context == nil }
        #expect(threads == nil)
        #expect(context == nil)
    }
}
