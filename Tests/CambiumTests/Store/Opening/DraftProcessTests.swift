import Cambium
import CambiumModel
import Foundation
import Testing

/// Stores of another draft that several processes open: none loses what another has written.
///
/// On the main actor, since a process that is waited for occupies a thread of the others.
@MainActor
@Suite(
    .serialized, .timeLimit(.minutes(15)),
    .onSQLite("A draft of a store on a server is not migrated."))
struct DraftProcessTests {
    @Test func `a store that another process has open is not moved, and keeps all it writes`()
        async throws
    {
        let path = try makeStorePath()
        defer { removeStore(path) }
        try save("first", DraftOfProcess.first, path)
        async let other = #expect(processExitsWith: .success) {
            [path = path as String] in
            let container = try open(DraftOfProcess.first, path)
            let context = container.newContext()
            #expect(try titles(context) == ["first"])
            make("open", path)
            wait(for: "refused", path)
            try insert("second", context)
            #expect(try titles(container.newContext()) == ["first", "second"])
        }
        wait(for: "open", path)
        let error = #expect(throws: StoreLoadingError.self) {
            _ = try open(DraftOfProcess.second, path, .recreate, waiting: .milliseconds(100))
        }
        #expect(error?.code == .busy)
        #expect(
            (error?.underlying as? StoreError)?.message.contains(
                "while another process or container has it open") == true)
        #expect(aside(path) == [])
        make("refused", path)
        _ = await other
        // Nobody has it open any more.
        let container = try open(DraftOfProcess.second, path, .recreate)
        #expect(try titles(container.newContext()) == [])
        let moved = try #require(aside(path).first)
        #expect(try titles(open(DraftOfProcess.first, moved).newContext()) == ["first", "second"])
    }

    @Test(arguments: [DraftPolicy.recreate, .migrate])
    func `of processes that open a store at once one changes it, and all go on`(
        policy: DraftPolicy
    ) async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        try save("old", DraftOfProcess.first, path)
        async let first: Void = run("a", path, policy)
        async let second: Void = run("b", path, policy)
        for name in ["a", "b"] { wait(for: "\(name) is ready", path) }
        make("go", path)
        _ = await (first, second)
        let container = try open(DraftOfProcess.second, path)
        let moved = aside(path)
        guard policy == .recreate else {
            #expect(try titles(container.newContext()) == ["a", "b", "old"])
            #expect(moved == [])
            return
        }
        #expect(try titles(container.newContext()) == ["a", "b"])
        #expect(moved.count == 1)
        let old = try open(DraftOfProcess.first, try #require(moved.first))
        #expect(try titles(old.newContext()) == ["old"])
    }

    private nonisolated func run(_ name: String, _ path: String, _ policy: DraftPolicy) async {
        await #expect(processExitsWith: .success) {
            [name = name as String, path = path as String, policy = policy.rawValue as String] in
            let policy = try #require(DraftPolicy(rawValue: policy))
            make("\(name) is ready", path)
            wait(for: "go", path)
            do {
                try insert(name, open(DraftOfProcess.second, path, policy).newContext())
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
    }
}

// MARK: What each process does

/// Two drafts of one version.
private enum DraftOfProcess {
    static let first = CompiledModel(model([]))
    static let second = CompiledModel(
        model([Attribute(name: "pages", type: .int32, isOptional: true)]))

    private static func model(_ attributes: [Attribute]) -> Model {
        let title = Attribute(name: "title", type: .string)
        return Model(
            name: "Library", version: "1",
            entities: [Entity(name: "Book", attributes: [title] + attributes)])
    }
}

private func open(
    _ model: CompiledModel, _ path: String, _ policy: DraftPolicy = .refuse,
    waiting busyTimeout: Duration = .seconds(30)
) throws -> PersistentContainer {
    var options = StoreOptions()
    options.draftPolicy = policy
    options.busyTimeout = busyTimeout
    return try PersistentContainer(model: model, at: .temporary(path), options: options)
}

private func save(_ title: String, _ model: CompiledModel, _ path: String) throws {
    try insert(title, open(model, path).newContext())
}

private func insert(_ title: String, _ context: ManagedObjectContext) throws {
    try context.insertObject(ofEntity: "Book").setValue(.string(title), forKey: "title")
    try context.save()
}

private func titles(_ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).compactMap {
        guard case .string(let title) = try $0.value(forKey: "title") else { return nil }
        return title
    }.sorted()
}

/// The paths of the stores that were moved aside.
private func aside(_ path: String) -> [String] {
    let folder = URL(filePath: path).deletingLastPathComponent()
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? [])
        .filter { $0.contains(".draft-") && $0.hasSuffix(".sqlite") }
        .map { folder.appending(path: $0).path() }
}
