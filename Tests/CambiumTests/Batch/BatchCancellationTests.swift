import Cambium
import CambiumExchange
import EverythingModel
import Synchronization
import Testing

/// A batch operation whose task is cancelled ends soon, and leaves nothing behind.
struct BatchCancellationTests {
    private static let count = 50_000

    private func withNodes(
        _ hook: StatementHook? = nil, _ body: (PersistentContainer) async throws -> Void
    ) async throws {
        let container = PersistentContainer(name: "Test", model: Everything.model)
        var options = StoreOptions()
        options.statementHook = hook
        container.persistentStoreDescriptions = [
            StoreDescription(type: .memory, options: options)
        ]
        try await container.loadPersistentStores()
        try await container.performBackgroundTask { context in
            let rows = BatchInsertRequest<Node>(0..<Self.count) { $0.number = Int64($1) }
            _ = try context.execute(rows, merging: .none)
        }
        try await body(container)
    }

    /// Cancels the task that runs the first statement which begins with a word, and counts the rest.
    private final class Canceller: Sendable {
        private struct State {
            var word = ""
            var statements: Int?
        }

        private let state = Mutex(State())

        /// How many statements have run since; nil where there was none.
        var statements: Int? { state.withLock { $0.statements } }

        func wait(for word: String) { state.withLock { $0 = State(word: word) } }

        func note(_ sql: String) {
            state.withLock { state in
                if let statements = state.statements {
                    state.statements = statements + 1
                } else if !state.word.isEmpty, sql.hasPrefix(state.word) {
                    state.statements = 0
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
        }
    }

    @Test func `a delete and an update end in the middle`() async throws {
        let canceller = Canceller()
        try await withNodes(StatementHook { canceller.note($0.sql) }) { container in
            let operations: [(String, @Sendable (ManagedObjectContext) throws -> Void)] = [
                ("DELETE", { _ = try $0.execute(BatchDeleteRequest<Node>(), merging: .none) }),
                (
                    "UPDATE",
                    {
                        let update = BatchUpdateRequest<Node>()
                            .set(Node.number, to: Node.number + 1)
                        _ = try $0.execute(update, merging: .none)
                    }
                ),
            ]
            for (word, operation) in operations {
                canceller.wait(for: word)
                let task = Task { try await container.performBackgroundTask(operation) }
                await #expect(throws: CancellationError.self) { try await task.value }
                // There are five pieces, each with statements of its own.
                #expect(try #require(canceller.statements) < 3, "\(word)")
                let (all, first) = try await container.performBackgroundTask { context in
                    let first = Node.fetchRequest().filter(Node.number == 0)
                    return (
                        try context.count(for: Node.fetchRequest()), try context.count(for: first)
                    )
                }
                #expect(all == Self.count)
                #expect(first == 1)
            }
        }
    }

    @Test func `a statement that takes long is ended too`() async throws {
        try await withNodes { container in
            let task = Task {
                try await container.performBackgroundTask { context in
                    withUnsafeCurrentTask { $0?.cancel() }
                    // Finds no row, so that there is nothing between its steps.
                    let request = BatchDeleteRequest<Node>().filter(Node.label.contains("nothing"))
                    _ = try context.execute(request)
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `what takes no time is not done either`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let task = Task {
            try await container.performBackgroundTask { context in
                _ = Sample(in: context)
                try context.save()
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try context.execute(BatchDeleteRequest<Sample>())
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let count = try await container.performBackgroundTask {
            try $0.count(for: Sample.fetchRequest())
        }
        #expect(count == 1)
    }

    @Test func `an export of a cancelled task looks for no objects`() async throws {
        try await withNodes { container in
            let task = Task {
                try await container.performBackgroundTask { context in
                    withUnsafeCurrentTask { $0?.cancel() }
                    let request = ExportRequest(
                        Node.fetchRequest().sorted(by: Node.number.descending), as: .jsonLines)
                    _ = try context.chunks(of: request)
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
