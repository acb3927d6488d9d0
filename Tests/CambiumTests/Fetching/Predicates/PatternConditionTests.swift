import Cambium
import EverythingModel
import Foundation
import Testing

/// MATCHES in the store, over unsaved changes and in live results.
struct PatternConditionTests {
    private static let costly = "(a*)*\\1b"
    private static let text = String(repeating: "a", count: 40)

    @Test(arguments: [".*^b$", "^a$.*", "a$\\nb", "a\\n^b", "a.b"], StoreKind.kinds)
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

    @Test(arguments: StoreKind.kinds)
    func `a fetch that takes too many steps names the pattern`(_ kind: StoreKind) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            let node = Node(in: context, label: Self.text)
            let request = Node.fetchRequest().filter(!Node.label.matches(Self.costly))
            // What is not saved is looked at in memory, whatever the store.
            if kind == .file {
                let unsaved = #expect(throws: PatternLimitError.self) { try context.fetch(request) }
                #expect(unsaved?.pattern == Self.costly)
                #expect(throws: PatternLimitError.self) {
                    try Node.label.matches(Self.costly).matches(node)
                }
            }
            try context.save()
            let saved = #expect(throws: PatternLimitError.self) { try context.fetch(request) }
            #expect(saved?.pattern == Self.costly)
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

    @Test(.onSQLite("A server matches by itself."))
    func `a match that takes long ends in a cancelled task`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let task = Task {
            try await container.performBackgroundTask { context in
                _ = Node(in: context, label: String(repeating: "ab", count: 50_000))
                try context.save()
                withUnsafeCurrentTask { $0?.cancel() }
                return try context.count(
                    for: Node.fetchRequest().filter(Node.label.matches("(.*a)*c")))
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
