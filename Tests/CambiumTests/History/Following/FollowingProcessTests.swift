import Cambium
import EverythingModel
import Foundation
import Testing

/// Several processes write to one store; this one follows all of them.
@MainActor
@Suite(.onSQLite("A store on a server is not followed yet."))
struct FollowingProcessTests {
    private static let processes = 3

    @Test(.timeLimit(.minutes(10)))
    func `a controller sees each change of several processes exactly once`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        let container = try openHistory(
            at: .temporary(path), .properties, Everything.model, follows: true)
        let context = container.viewContext
        // They count their nodes up in one that all of them change.
        let shared = Node(in: context, label: "shared")
        try context.save()
        let token = try container.historyToken
        let controller = FetchedResultsController(
            Node.fetchRequest().sorted(by: Node.label), in: context)
        try controller.performFetch()
        let delegate = MirrorDelegate(controller)
        controller.delegate = delegate
        let own = Node(in: context, label: "own")
        try context.save()

        async let first: Void = run("a", path)
        async let second: Void = run("b", path)
        async let third: Void = run("c", path)
        _ = await (first, second, third)

        let expected = Self.processes * savesOfEach
        try await eventually {
            controller.fetchedObjects?.count == expected + 2 && shared.number == expected
        }
        #expect(shared.number == Int64(expected))
        #expect(delegate.faults == [])
        let words = delegate.words { $0.label }
        let inserted = words.filter { $0.hasPrefix("insert") && $0 != "insert own" }
        #expect(Set(inserted).count == inserted.count)
        #expect(inserted.count == expected)
        withExtendedLifetime(own) {}

        // The history has each save once, with its process.
        let history = try container.history(after: token)
        let theirs = history.filter { $0.author != nil }
        #expect(theirs.count == expected)
        #expect(Set(theirs.map(\.processIdentifier)).count == Self.processes)
        #expect(theirs.allSatisfy { $0.changes.count == 2 })
        #expect(history.map(\.number) == Array(2...Int64(expected + 2)))
    }

    private nonisolated func run(_ name: String, _ path: String) async {
        await #expect(processExitsWith: .success) {
            [path = path as String, name = name as String] in
            try saveNodes(named: name, to: path)
        }
    }
}

private let savesOfEach = 12

/// What each process does: adds nodes, and counts them in the one that all share.
private func saveNodes(named name: String, to path: String) throws {
    let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
    let context = container.newContext()
    context.transactionAuthor = name
    context.stalenessInterval = 0
    let request = Node.fetchRequest().filter(Node.label == "shared")
    let shared = try #require(try context.fetch(request).first)
    for number in 0..<savesOfEach {
        _ = Node(in: context, label: "\(name)\(number)")
        var isSaved = false
        while !isSaved {
            context.refresh(shared, mergeChanges: false)
            shared.number += 1
            do {
                try context.save()
                isSaved = true
            } catch is ConflictError {
                // Another process was faster.
            }
        }
    }
}
