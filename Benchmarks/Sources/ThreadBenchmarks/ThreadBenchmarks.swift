import Cambium
import Foundation
import RawSQLite

/// Measures a call of an idle background context. It also measures the wait of tasks that need no
/// store, while background work blocks.
@main
@MainActor
struct ThreadBenchmarks {
    static let usage = """
        usage: ThreadBenchmarks [--calls N] [--rounds N] [--tasks N] [--seconds N]
                                [--directory DIR]

          --calls N        calls to take the median of, 5000 unless given
          --rounds N       rounds of these, 5 unless given
          --tasks N        background tasks that block at once, 8 unless given
          --seconds N      how long another process holds the lock, 4 unless given
          --directory DIR  where the store is made, the temporary folder unless given
        """

    static func main() async {
        #if DEBUG
            print("Times of a debug build say nothing. Use -c release.")
            exit(64)
        #else
            do {
                try await run()
            } catch {
                FileHandle.standardError.write(Data("\(error)\n\(usage)\n".utf8))
                exit(2)
            }
        #endif
    }

    private static func run() async throws {
        var numbers = ["--calls": 5000, "--rounds": 5, "--tasks": 8, "--seconds": 4]
        var directory = FileManager.default.temporaryDirectory.path
        var lockedPath: String?
        var rest = CommandLine.arguments.dropFirst()
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw UsageError() }
            switch option {
            case "--directory": directory = value
            // An option that only the program itself uses.
            case "--lock": lockedPath = value
            default:
                guard numbers[option] != nil, let number = Int(value), number > 0 else {
                    throw UsageError()
                }
                numbers[option] = number
            }
        }
        let seconds = numbers["--seconds"] ?? 4
        if let lockedPath { return try lock(lockedPath, seconds) }
        let folder = "\(directory)/cambium-threads-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/store.sqlite"
        var options = StoreOptions()
        options.busyTimeout = .seconds(60)
        let container = try PersistentContainer(
            model: model, at: .file(path), options: options)

        print("A call that does nothing, and comes back; in brackets the processor time")
        for round in 1...(numbers["--rounds"] ?? 5) {
            try await reportCalls(container, numbers["--calls"] ?? 5000, round)
        }
        let tasks = numbers["--tasks"] ?? 8
        let blocked = try await delayOfOthers(during: tasks) {
            try await container.performBackgroundTask { _ in Thread.sleep(forTimeInterval: 1) }
        }
        report("\(tasks) tasks that block for 1 s", blocked, "≤ 1.3 s, ≤ 50 ms")

        let process = try Process.run(
            URL(filePath: CommandLine.arguments[0]),
            arguments: ["--lock", path, "--seconds", "\(seconds)"])
        while !FileManager.default.fileExists(atPath: path + ".locked") {
            try await Task.sleep(for: .milliseconds(5))
        }
        let locked = try await delayOfOthers(during: tasks) {
            try await container.performBackgroundTask { context in
                try context.insertObject(ofEntity: "Item")
                    .setValue(.string("new"), forKey: "title")
                try context.save()
            }
        }
        process.waitUntilExit()
        report("\(tasks) saves, the store locked for \(seconds) s", locked, "≤ 50 ms")
    }

    private static var model: CompiledModel {
        let title = Attribute(name: "title", type: .string)
        return CompiledModel(
            Model(
                name: "Items", version: "1",
                entities: [Entity(name: "Item", attributes: [title])]))
    }

    /// Holds the write lock of a store for a while. The other process calls this.
    private static func lock(_ path: String, _ seconds: Int) throws {
        guard let database = raw_open(path, true, "a", "b", "c", "d", "e") else { return }
        defer { raw_close(database) }
        guard raw_execute(database, "BEGIN IMMEDIATE") else {
            throw BenchmarkFailure(text: String(cString: raw_error(database)))
        }
        _ = FileManager.default.createFile(atPath: path + ".locked", contents: nil)
        Thread.sleep(forTimeInterval: Double(seconds))
        _ = raw_execute(database, "ROLLBACK")
    }

    // MARK: Calls

    private static func reportCalls(
        _ container: PersistentContainer, _ count: Int, _ round: Int
    ) async throws {
        let kinds: [(String, any ContextActor)] = [
            ("a background context", container.newBackgroundContext()),
            ("a context of an actor", OwnActor(container)),
        ]
        for (name, actor) in kinds {
            let main = try await time(count, actor)
            let task = try await Task.detached { try await time(count, actor) }.value
            print("round \(round), \(name): from the main actor \(main), from a task \(task)")
        }
    }

    // MARK: Waiting

    /// Runs a body in several tasks at once.
    ///
    /// - Returns: The time for all of them, and the longest wait of an empty task meanwhile.
    private static func delayOfOthers(
        during count: Int, _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> (duration: Duration, delay: Duration) {
        let clock = ContinuousClock()
        let observer = Task {
            var longest = Duration.zero
            while !Task.isCancelled {
                let start = clock.now
                await Task.detached {}.value
                longest = max(longest, clock.now - start)
                try? await Task.sleep(for: .milliseconds(5))
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

    private static func report(
        _ name: String, _ times: (duration: Duration, delay: Duration), _ goal: String
    ) {
        print(
            name.padding(toLength: 40, withPad: " ", startingAt: 0),
            String(
                format: "%.3f s; another task waited %.1f ms at most", times.duration / .seconds(1),
                times.delay / .milliseconds(1)), " goal \(goal)")
    }

    private struct UsageError: Error {}
}

private struct BenchmarkFailure: Error { let text: String }

/// An actor that has a context.
private protocol ContextActor: Actor {
    func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result
}

extension BackgroundContext: ContextActor {}

/// An actor that a program can write itself. It runs on the threads of Swift's tasks.
private actor OwnActor: ContextActor {
    private let container: PersistentContainer
    private lazy var context = container.newContext()

    init(_ container: PersistentContainer) {
        self.container = container
    }

    func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        context.mergePending()
        return try body(context)
    }
}

/// Returns the median of the times of calls, and the processor time of one call.
private func time(
    _ count: Int, _ actor: any ContextActor, isolation: isolated (any Actor)? = #isolation
) async throws -> String {
    var times: [Double] = []
    var sum = 0
    let processorTime = now(CLOCK_PROCESS_CPUTIME_ID)
    for number in 0..<count {
        let start = now(CLOCK_MONOTONIC)
        sum += try await actor.perform { _ in number }
        times.append((now(CLOCK_MONOTONIC) - start) / .microseconds(1))
    }
    let processor = (now(CLOCK_PROCESS_CPUTIME_ID) - processorTime) / .microseconds(count)
    guard sum == count * (count - 1) / 2 else { throw BenchmarkFailure(text: "a call is lost") }
    times.sort()
    return String(format: "%.2f µs (%.2f)", times[count / 2], processor)
}

private func now(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
