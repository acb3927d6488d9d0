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
}

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
    _ model: CompiledModel, on kind: StoreKind = .memory,
    _ body: (PersistentContainer) throws -> Result
) throws -> Result {
    try kind.withContainer(model) { try body($0) }
}

/// Runs a body that waits with a new store.
@MainActor
func withContainer<Result>(
    _ model: CompiledModel, on kind: StoreKind = .memory,
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
    try Connection(path: path).rows(sql)
}

/// Changes a file behind the container's back.
func execute(_ sql: String, in path: String) throws {
    try Connection(path: path).execute(sql)
}
