import Cambium
import EverythingModel
import Foundation
import Testing

/// MATCHES in the store, over unsaved changes and in live results.
struct PatternConditionTests {
    private static let costly = "(a*)*\\1b"
    private static let text = String(repeating: "a", count: 40)

    @Test(arguments: [".*^b$", "^a$.*", "a$\\nb", "a\\n^b", "a.b"], StoreKind.allCases)
    func `a text of two lines is matched as on macOS`(
        _ pattern: String, _ kind: StoreKind
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "a\nb")
            let condition = Node.label.matches(pattern)
            let request = Node.fetchRequest().filter(condition)
            #expect(try condition.matches(node))
            #expect(try context.fetch(request) == [node])
            try context.save()
            #expect(try context.fetch(request) == [node])
            #expect(try context.fetch(Node.fetchRequest().filter(!condition)).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a fetch that takes too many steps names the pattern`(_ kind: StoreKind) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            let node = Node(in: context, label: Self.text)
            let request = Node.fetchRequest().filter(!Node.label.matches(Self.costly))
            let unsaved = #expect(throws: PatternLimitError.self) { try context.fetch(request) }
            #expect(unsaved?.pattern == Self.costly)
            try context.save()
            let saved = #expect(throws: PatternLimitError.self) { try context.fetch(request) }
            #expect(saved?.pattern == Self.costly)
            #expect(throws: PatternLimitError.self) {
                try Node.label.matches(Self.costly).matches(node)
            }
            // The store is as before.
            #expect(
                try context.fetch(Node.fetchRequest().filter(Node.label == Self.text)) == [node])
        }
    }

    @Test func `live results take it as no match and the save throws it`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "a")
            let request = Node.fetchRequest().filter(!Node.label.matches(Self.costly))
                .sorted(by: Node.label)
            let controller = FetchedResultsController(request, in: context)
            let log = CallLog<Node>(name: \.label)
            controller.delegate = log
            try controller.performFetch()
            #expect(controller.fetchedObjects == [node])
            node.label = Self.text
            context.processPendingChanges()
            #expect(controller.fetchedObjects == [])
            #expect(log.calls.count == 3)
            let error = #expect(throws: PatternLimitError.self) { try context.save() }
            #expect(error?.pattern == Self.costly)
            try context.save()
            node.label = "aa"
            context.processPendingChanges()
            #expect(controller.fetchedObjects == [node])
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a cancelled task ends a long match`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .memory)
        // All together take minutes: hardly two places of the texts are alike.
        var state: UInt32 = 1
        let letters = (0..<10_000).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Character(state >> 31 == 0 ? "a" : "b")
        }
        try await container.performBackgroundTask { context in
            for _ in 0..<300 { _ = Node(in: context, label: String(letters)) }
            try context.save()
        }
        let task = Task {
            try await container.performBackgroundTask { context in
                let request = Node.fetchRequest().filter(Node.label.matches(".*a.{3000}c"))
                return try context.fetch(request).count
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
