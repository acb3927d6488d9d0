import Cambium
import EverythingModel
import Foundation
import Synchronization
import Testing

@MainActor
struct BackgroundFetchTests {
    private final class Steps: Sendable {
        let all = Mutex<[Int]>([])
    }

    private func withNodes(
        _ count: Int = 2500, on kind: StoreKind = .lasting,
        _ body: @MainActor (PersistentContainer) async throws -> Void
    ) async throws {
        try await withContainer(Everything.model, on: kind) { container in
            let writer = container.newContext()
            for number in 0..<count { _ = Node(in: writer, label: "n", number: Int64(number)) }
            try writer.save()
            try await body(container)
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `it finds what a fetch finds, and tells how far it is`(_ kind: StoreKind) async throws {
        try await withNodes(on: kind) { container in
            let context = container.viewContext
            let request = Node.fetchRequest().filter(Node.number >= 100)
                .sorted(by: Node.number.descending)
            let steps = Steps()
            let found = try await context.fetchInBackground(request) { count in
                steps.all.withLock { $0.append(count) }
            }
            #expect(found.map(\.number) == (100..<2500).reversed())
            #expect(steps.all.withLock { $0 } == [1000, 2000, 2400])
            #expect(found.allSatisfy { !$0.isFault })
            try #expect(context.fetch(request) == found)
            let sums = try await context.fetchInBackground(request.select(Node.number.sum))
            #expect(sums == [(100..<2500).reduce(0, +)])
        }
    }

    @Test func `unsaved changes count`() async throws {
        try await withNodes(10) { container in
            let context = container.viewContext
            _ = Node(in: context, number: -2)
            let task = Task {
                let request = Node.fetchRequest().sorted(by: Node.number)
                return try await context.fetchInBackground(request).map(\.number)
            }
            let numbers = try await task.value
            #expect(numbers == [-2] + Array(0..<10))
        }
    }

    /// Holds back whoever has read nodes, once, until it is opened.
    private final class Gate: Sendable {
        /// Tells when somebody waits.
        let arrivals = AsyncStream.makeStream(of: Void.self)
        private let isArmed = Mutex(false)
        private let isOpen = DispatchSemaphore(value: 0)

        var hook: StatementHook {
            StatementHook { [self] statement in
                guard statement.sql.hasPrefix("SELECT"), statement.sql.contains("\"Node\""),
                    isArmed.withLock({ armed in
                        defer { armed = false }
                        return armed
                    })
                else { return }
                arrivals.continuation.yield()
                isOpen.wait()
            }
        }

        func arm() { isArmed.withLock { $0 = true } }
        func open() { isOpen.signal() }
    }

    @Test func `what another context saves while the rows are read is not lost`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        let gate = Gate()
        var options = StoreOptions()
        options.statementHook = gate.hook
        let container = try PersistentContainer(
            model: Everything.model, at: .temporary(path), options: options)
        let writer = container.newContext()
        let nodes = (0..<10).map { Node(in: writer, label: "old", number: Int64($0)) }
        try writer.save()
        let context = container.viewContext
        gate.arm()
        let task = Task {
            try await context.fetchInBackground(Node.fetchRequest()).map(\.label)
        }
        // The rows are read, and not handed over yet.
        for await _ in gate.arrivals.stream { break }
        for node in nodes { node.label = "new" }
        try writer.save()
        context.mergePending()
        gate.open()
        let labels = try await task.value
        #expect(labels == Array(repeating: "new", count: 10))
    }

    @Test func `a fetch whose task is cancelled throws, and the store is as good as before`()
        async throws
    {
        try await withNodes { container in
            let writer = container.newContext()
            let box = Box(in: writer)
            for node in try writer.fetch(Node.fetchRequest()) { node.box = box }
            try writer.save()
            let context = container.viewContext
            // Each node looks at all pairs of its box: nobody waits for the end of that.
            let slow = Node.fetchRequest()
                .filter(
                    format: "SUBQUERY(box.nodes, $n, "
                        + "SUBQUERY(box.nodes, $m, $m.number > $n.number + number).@count == 5"
                        + ").@count == 5"
                )
                .select(Node.number.sum)
            let task = Task { try await context.fetchInBackground(slow) }
            // Not one of the threads that the statement may keep busy.
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 0.05)
                task.cancel()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try context.count(for: Node.fetchRequest()) == 2500)
        }
    }
}
