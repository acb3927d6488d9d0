import Cambium
import CambiumSQLite
import Foundation
import Testing

/// The kinds of stores, on which behaviour is the same.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case file
    case memory
    /// A custom store that is read and written as a whole.
    case json
    /// A custom store that finds rows when they are asked for.
    case dictionary

    /// Those that SQLite keeps, for what the others cannot do or do otherwise.
    static let sqlite: [StoreKind] = [.file, .memory]

    /// What is to be opened; in a file where the kind has one.
    func description(path: String) -> StoreDescription {
        switch self {
        case .file: StoreDescription(location: .file(path))
        case .memory: StoreDescription(location: .memory)
        case .json: StoreDescription(type: JSONStore.type, location: .file(path))
        case .dictionary: StoreDescription(type: DictionaryStore().type, location: .memory)
        }
    }

    var testDescription: String { rawValue }
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
    let container = PersistentContainer(name: "Test", model: model)
    container.persistentStoreDescriptions = [kind.description(path: path)]
    var failure: (any Error)?
    container.loadPersistentStores { failure = failure ?? $1 }
    if let failure { throw failure }
    return container
}

/// Runs a body with a new store.
func withContainer<Result>(
    _ model: CompiledModel, on kind: StoreKind = .memory,
    _ body: (PersistentContainer) throws -> Result
) throws -> Result {
    if kind == .memory { return try body(PersistentContainer(model: model, at: .memory)) }
    return try withStoreFile { try body(makeContainer(model, on: kind, path: $0)) }
}

/// Runs a body that waits with a new store.
@MainActor
func withContainer<Result>(
    _ model: CompiledModel, on kind: StoreKind = .memory,
    _ body: @MainActor (PersistentContainer) async throws -> Result
) async throws -> Result {
    let folder = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(
        makeContainer(model, on: kind, path: folder.appending(path: "store.sqlite").path()))
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

extension ManagedObjectContext {
    /// The object of an id, in the class that the test knows it has.
    func get<Object: ManagedObject>(
        _ id: ObjectID, as type: Object.Type = Object.self,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Object {
        try #require(object(with: id) as? Object, sourceLocation: sourceLocation)
    }
}
