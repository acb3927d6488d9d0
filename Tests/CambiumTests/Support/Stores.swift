import Cambium
import CambiumEngineSpecification
import CambiumSQLite
import Foundation
import Testing

/// The kinds of stores, on which behaviour is the same: the engines of the specification.
typealias StoreKind = EngineEntry

extension StoreKind {
    /// All, of the servers one: what tells these apart is in the specification of engines.
    static let kinds = some()

    /// Those that SQLite keeps, for what the others cannot do or do otherwise.
    static let sqlite: [StoreKind] = [.file, .memory]

    /// Those that run statements, of the servers one.
    static let databases = sqlite + someServers(1)

    /// What a test runs on that names no engine: the one that `CAMBIUM_TEST_ENGINE` names, or SQLite in
    /// memory. See ``OnServers``, too.
    @TaskLocal static var current = usual

    /// Whether tests that name no engine run on SQLite.
    static var isSQLite: Bool { !servers.contains(current) }

    /// The same, or SQLite in a file where that forgets a store when it is closed.
    static var lasting: StoreKind { current.canBeOpenedAgain ? current : .file }

    private static let usual: StoreKind = {
        let wanted = ProcessInfo.processInfo.environment["CAMBIUM_TEST_ENGINE"] ?? memory.name
        guard let kind = (sqlite + servers).first(where: { $0.name == wanted }) else {
            preconditionFailure(
                "CAMBIUM_TEST_ENGINE is '\(wanted)'. These exist here: "
                    + (sqlite + servers).map(\.name).joined(separator: ", "))
        }
        return kind
    }()
}

extension StoreLocation {
    /// A new store on the engine of the test.
    static var temporary: StoreLocation {
        on(.current, path: temporaryFolder.appending(path: UUID().uuidString).path())
    }

    /// The store of a path: a file, or what the engine of the test has under such a name.
    static func temporary(_ path: String) -> StoreLocation { on(.lasting, path: path) }

    private static func on(_ kind: StoreKind, path: String) -> StoreLocation {
        do {
            return try kind.description(path: path).location
        } catch {
            preconditionFailure("\(kind.name): \(error)")
        }
    }
}

/// A folder that is removed when the process ends.
private let temporaryFolder: URL = {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "cambium-tests-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: temporaryFolder) }
    return folder
}()

/// Runs a body with the path of a store that is not there yet, in a folder that is removed later.
func withStoreFile<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.appending(path: "store.sqlite").path())
}

/// A container with one store of a kind.
func makeContainer(
    _ model: CompiledModel, on kind: StoreKind, path: String
) throws -> PersistentContainer {
    try PersistentContainer(model, kind.description(path: path))
}

/// Runs a body with a new store.
func withContainer<Result>(
    _ model: CompiledModel, on kind: StoreKind = .current,
    _ body: (PersistentContainer) throws -> Result
) throws -> Result {
    try kind.withContainer(model) { try body($0) }
}

/// Runs a body that waits with a new store.
@MainActor
func withContainer<Result>(
    _ model: CompiledModel, on kind: StoreKind = .current,
    _ body: @MainActor (PersistentContainer) async throws -> Result
) async throws -> Result {
    try await kind.withContainer(model, body)
}

/// The path of a store in a folder of its own, for tests that wait; ``removeStore(_:)`` removes it.
func makeStorePath() throws -> String {
    try makeTemporaryFolder().appending(path: "store.sqlite").path()
}

func removeStore(_ path: String) {
    try? FileManager.default.removeItem(at: URL(filePath: path).deletingLastPathComponent())
}

private func makeTemporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "cambium-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}

/// The rows that a query finds in a file, asked by a connection that the container knows nothing
/// of.
func rows(_ sql: String, in path: String) throws -> [[StoredValue]] {
    try StoreKind.lasting.rows(sql, path: path) ?? Connection(path: path).rows(sql)
}

/// What references rows that do not exist. A server looks after that at the end of each transaction.
func danglingKeys(in path: String) throws -> [[StoredValue]] {
    StoreKind.isSQLite ? try rows("PRAGMA foreign_key_check", in: path) : []
}

/// Changes a file behind the container's back.
func execute(_ sql: String, in path: String) throws {
    if try StoreKind.lasting.rows(sql, path: path) == nil {
        try Connection(path: path).execute(sql)
    }
}

/// A duration in a statement, to be added to a date.
func seconds(_ count: Int) -> String {
    StoreKind.isSQLite ? "\(count)" : "interval '\(count) seconds'"
}
