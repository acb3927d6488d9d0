import Cambium
import CambiumSQLite
import EverythingModel
import Foundation
import Testing

/// Work on a store that blocks, and tasks that need no store.
///
/// Each test has a process of its own: other tests block the threads of tasks, which are few. Limits
/// are generous, as the machine may be busy; `ThreadBenchmarks` has the figures.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(15)))
struct BlockedThreadsTests {
    @Test func `eight background tasks that block for a second take little more, and delay nobody`()
        async
    {
        await #expect(processExitsWith: .success) {
            let container = try PersistentContainer(model: Everything.model, at: .temporary)
            let (duration, delay) = try await delayOfOthers(during: parallelTasks) {
                try await container.performBackgroundTask { _ in
                    block(for: 1)
                }
            }
            #expect(duration < .milliseconds(2500))
            #expect(delay < .milliseconds(500))
        }
    }

    @Test func `background fetches that block delay nobody`() async {
        await #expect(processExitsWith: .success) {
            let container = try PersistentContainer(model: Everything.model, at: .temporary)
            let (duration, delay) = try await delayOfOthers(during: parallelTasks) {
                let reader = Reader(container)
                try await reader.read { _ in block(for: 1) }
            }
            #expect(duration < .milliseconds(2500))
            #expect(delay < .milliseconds(500))
        }
    }

    @Test(.onSQLite("It is about the lock of a file."))
    func `containers that wait for the lock of their store to be opened delay nobody`()
        async throws
    {
        let path = try makeStorePath()
        defer { removeStore(path) }
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Connection(path: path)
            try other.execute("BEGIN EXCLUSIVE")
            var options = StoreOptions()
            options.busyTimeout = .seconds(1)
            let (duration, delay) = try await delayOfOthers(during: parallelTasks) { [options] in
                await #expect(throws: StoreLoadingError.self) {
                    try await PersistentContainer.open(
                        model: Everything.model, at: .temporary(path), options: options)
                }
            }
            // They have waited.
            #expect(duration > .milliseconds(900))
            #expect(delay < .milliseconds(500))
            withExtendedLifetime(other) {}
        }
    }

    @Test(.onSQLite("It is about the lock of a file."))
    func `saves that wait for another process's lock delay nobody, and succeed`()
        async throws
    {
        let path = try makeStorePath()
        defer { removeStore(path) }
        // A process that is waited for may occupy a thread of tasks, so this one holds the lock.
        Thread.detachNewThread {
            do {
                wait(for: "made", path)
                let connection = try Connection(path: path)
                try connection.execute("BEGIN IMMEDIATE")
                make("locked", path)
                block(for: 2)
                try connection.execute("ROLLBACK")
            } catch {
                Issue.record(error)
            }
        }
        await #expect(processExitsWith: .success) { [path = path as String] in
            var options = StoreOptions()
            options.busyTimeout = .seconds(60)
            let container = try PersistentContainer(
                model: Everything.model, at: .temporary(path), options: options)
            make("made", path)
            wait(for: "locked", path)
            let (duration, delay) = try await delayOfOthers(during: parallelTasks) {
                try await container.performBackgroundTask { context in
                    _ = Node(in: context)
                    try context.save()
                }
            }
            #expect(duration > .milliseconds(500))
            #expect(delay < .milliseconds(500))
            let count = try await container.performBackgroundTask {
                try $0.count(for: Node.fetchRequest())
            }
            #expect(count == parallelTasks)
        }
    }
}

/// As many as would block all threads of Swift's tasks.
private let parallelTasks = max(8, ProcessInfo.processInfo.activeProcessorCount)

/// Runs a body in several tasks at once.
///
/// - Returns: How long all of them took, and the longest time meanwhile until a task ran that does
///   nothing.
private func delayOfOthers(
    during count: Int, _ body: @escaping @Sendable () async throws -> Void
) async throws -> (duration: Duration, delay: Duration) {
    let clock = ContinuousClock()
    let observer = Task { @MainActor in
        var longest = Duration.zero
        while !Task.isCancelled {
            let start = clock.now
            await Task.detached {}.value
            longest = max(longest, clock.now - start)
            try? await Task.sleep(for: .milliseconds(10))
        }
        return longest
    }
    let duration = try await clock.measure {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await body() } }
            try await group.waitForAll()
        }
    }
    observer.cancel()
    return (duration, await observer.value)
}

/// An actor with a context of its own.
private actor Reader {
    private let container: PersistentContainer
    private lazy var context = container.newContext()

    init(_ container: PersistentContainer) {
        self.container = container
    }

    func read(_ progress: @escaping @Sendable (Int) -> Void) async throws {
        _ = try await context.fetchInBackground(Node.fetchRequest(), progress: progress)
    }
}

/// Blocks the thread.
private func block(for seconds: Double) {
    Thread.sleep(forTimeInterval: seconds)
}
