import Cambium
import EverythingModel
import Foundation
import Testing

struct AsyncBatchInsertTests {
    /// Numbers that come one by one, and sometimes let others work meanwhile.
    private struct Numbers: AsyncSequence {
        struct Torn: Error {}

        struct AsyncIterator: AsyncIteratorProtocol {
            var next: Int
            let end: Int
            let failure: Int?

            mutating func next() async throws -> Int? {
                guard next < end else { return nil }
                if next == failure { throw Torn() }
                if next % 100 == 0 { await Task.yield() }
                defer { next += 1 }
                return next
            }
        }

        let range: Range<Int>
        var failure: Int?

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(next: range.lowerBound, end: range.upperBound, failure: failure)
        }
    }

    @MainActor
    @Test(arguments: StoreKind.databases)
    func `the elements of a sequence that is awaited become objects`(_ kind: StoreKind) async throws
    {
        try await withContainer(Everything.model, on: kind) { container in
            let context = container.viewContext
            // More than are kept in memory.
            var request = AsyncBatchInsertRequest<Node, _>(Numbers(range: 0..<9_000)) {
                node, number in
                node.number = Int64(number)
                if number % 2 == 0 { node.label = "even" }
            }
            request.resultType = .objectIDs
            let result = try await context.execute(request)
            #expect(result.count == 9_000)
            let nodes = try context.fetch(Node.fetchRequest())
            #expect(nodes.map(\.number) == (0..<9_000).map(Int64.init))
            #expect(nodes.map(\.objectID) == result.objectIDs)
            #expect(nodes.count { $0.label == "even" } == 4_500)
        }
    }

    @MainActor
    @Test func `the store is free for others while the sequence is awaited`() async throws {
        try await withContainer(Everything.model, on: .current) { container in
            let context = container.viewContext
            let other = container.newContext()
            let request = AsyncBatchInsertRequest<Node, _>(Numbers(range: 0..<3)) { node, number in
                node.number = Int64(number)
                _ = Box(in: other, name: "\(number)")
                try other.save()
            }
            try await context.execute(request)
            try #expect(context.count(for: Node.fetchRequest()) == 3)
            try #expect(context.count(for: Box.fetchRequest()) == 3)
        }
    }

    @MainActor
    @Test func `dictionaries may come one by one, too`() async throws {
        try await withContainer(Everything.model) { container in
            let rows = AsyncStream<[String: Value]> { continuation in
                for number in 0..<3 { continuation.yield(["number": .int(Int64(number))]) }
                continuation.finish()
            }
            let request = AsyncBatchInsertRequest<Node, _>(objects: rows)
            #expect(try await container.viewContext.execute(request).count == 3)
            let bad = AsyncStream<[String: Value]> { continuation in
                continuation.yield(["number": .int(1)])
                continuation.yield(["numbers": .int(1)])
                continuation.finish()
            }
            let error = await #expect(throws: BatchInsertError.self) {
                try await container.viewContext.execute(
                    AsyncBatchInsertRequest<Node, _>(objects: bad))
            }
            #expect(error?.row == 1)
            try #expect(container.viewContext.count(for: Node.fetchRequest()) == 3)
        }
    }

    @MainActor
    @Test func `a sequence that fails, and a task that is cancelled, insert nothing`() async throws
    {
        try await withContainer(Everything.model) { container in
            let context = container.viewContext
            await #expect(throws: Numbers.Torn.self) {
                try await context.execute(
                    AsyncBatchInsertRequest<Node, _>(Numbers(range: 0..<9_000, failure: 8_999)) {
                        $0.number = Int64($1)
                    })
            }
            let (forever, continuation) = AsyncStream.makeStream(of: Int.self)
            let task = Task { @MainActor in
                try await context.execute(
                    AsyncBatchInsertRequest<Node, _>(forever) { $0.number = Int64($1) })
            }
            for number in 0..<10 { continuation.yield(number) }
            await Task.yield()
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            try #expect(context.count(for: Node.fetchRequest()) == 0)
        }
    }

    @Test func `a background context inserts what is awaited`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let background = container.newBackgroundContext()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<4 { continuation.yield(number) }
        continuation.finish()
        let result = try await background.execute(
            AsyncBatchInsertRequest<Node, _>(stream) { $0.number = Int64($1) })
        #expect(result.count == 4)
        let count = try await background.perform { try $0.count(for: Node.fetchRequest()) }
        #expect(count == 4)
    }

    @Test func `a batch that is cancelled inserts nothing`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let task = Task {
            try await container.performBackgroundTask { context in
                var number: Int64 = 0
                let request = BatchInsertRequest<Node> { node in
                    number += 1
                    node.number = number
                    // Who else could cancel it may have to wait for this very thread.
                    if number == 20_000 { withUnsafeCurrentTask { $0?.cancel() } }
                    return false  // for ever
                }
                _ = try context.execute(request)
            }
        }
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        let count = try await container.performBackgroundTask {
            try $0.count(for: Node.fetchRequest())
        }
        #expect(count == 0)
    }
}
