import Cambium
import Foundation
import EverythingModel
import Synchronization
import Testing

@MainActor
struct BackgroundFetchTests {
    private final class Steps: Sendable {
        let all = Mutex<[Int]>([])
    }

    private func withNodes(
        _ count: Int = 2500, on kind: StoreKind = .file,
        _ body: @MainActor (PersistentContainer) async throws -> Void
    ) async throws {
        try await withContainer(Everything.model, on: kind) { container in
            let writer = container.newContext()
            for number in 0..<count { _ = Node(in: writer, label: "n", number: Int64(number)) }
            try writer.save()
            try await body(container)
        }
    }

    @Test(arguments: StoreKind.allCases)
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

    @Test func `what another context saves meanwhile is not lost`() async throws {
        try await withNodes(10) { container in
            let context = container.viewContext
            let task = Task {
                try await context.fetchInBackground(Node.fetchRequest()).map(\.objectID)
            }
            await Task.yield()
            try await container.performBackgroundTask { other in
                for node in try other.fetch(Node.fetchRequest()) { node.label = "new" }
                try other.save()
            }
            let ids = try await task.value
            context.mergePending()
            #expect(ids.count == 10)
            for id in ids {
                try #expect(context.existingObject(with: id, as: Node.self).label == "new")
            }
        }
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
