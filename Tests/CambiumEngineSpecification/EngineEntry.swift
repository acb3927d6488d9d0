import Cambium
import CambiumModel
import Foundation
import Testing

/// An engine that the specification is about: how its stores are made, and what it need not do.
///
/// ## How to enter an engine
///
/// Add an entry to ``all``; nothing else has to be written:
///
/// ```swift
/// static let postgres = EngineEntry(
///     "PostgreSQL", canBeOpenedAgain: true,
///     exemptions: [
///         EngineExemption(
///             from: .generations, lacks: .generations,
///             because: "A server ends a transaction that stays open for long.")
///     ],
///     remove: { dropSchema(named: $0) }
/// ) { describeSchema(named: $0) }
/// ```
///
/// 1. The last closure describes a store that does not exist yet. It gets the path of a file in a
///    folder of its own, for an engine that keeps its stores in files; others make a name of it. What
///    they make is removed by `remove`, which gets the same path when no container holds the store any
///    more.
/// 2. If a description that was opened, closed and opened again finds the same rows,
///    `canBeOpenedAgain` is true. If not, cases that open a store again go on with the open one.
/// 3. Run `swift test --filter CambiumEngineSpecificationTests`. Every suite runs, and each failure
///    names the suite, the engine and the case.
/// 4. A suite that the engine cannot pass is exempted, with the capability that the engine lacks.
///    `ComplianceTests` asks the engine itself: an exemption from what it can do fails, and so does
///    one without a reason. A suite that ``EngineSuite/requires`` nothing cannot be exempted.
///
/// The tests of the runtime that are called for several kinds of stores are called for the new one,
/// too.
package struct EngineEntry: Sendable {
    /// What tests call it.
    package let name: String
    /// Whether a store that was closed is found again.
    package let canBeOpenedAgain: Bool
    /// The suites that it does not run.
    package let exemptions: [EngineExemption]
    private let usesFiles: Bool
    private let describe: @Sendable (_ path: String) throws -> StoreDescription
    private let remove: @Sendable (_ path: String) -> Void
    private let query: (@Sendable (_ sql: String, _ path: String) throws -> [[StoredValue]])?

    /// - Parameters:
    ///   - usesFiles: Whether the path that `describe` gets is used.
    ///   - remove: Called with the path of a store that no container holds any more.
    ///   - query: What a statement returns that is run in the store of a path by somebody else; nil where
    ///     the path is that of a file of SQLite, or of what knows no SQL.
    ///   - describe: What is to be opened for a new store.
    package init(
        _ name: String, canBeOpenedAgain: Bool, usesFiles: Bool = false,
        exemptions: [EngineExemption] = [],
        remove: @escaping @Sendable (_ path: String) -> Void = { _ in },
        query: (@Sendable (_ sql: String, _ path: String) throws -> [[StoredValue]])? = nil,
        describe: @escaping @Sendable (_ path: String) throws -> StoreDescription
    ) {
        self.name = name
        self.canBeOpenedAgain = canBeOpenedAgain
        self.usesFiles = usesFiles
        self.exemptions = exemptions
        self.remove = remove
        self.query = query
        self.describe = describe
    }

    /// A description of a new store.
    ///
    /// - Parameter path: Of a file that an engine of files may make.
    package func description(path: String) throws -> StoreDescription { try describe(path) }

    /// What a statement returns that is run in the store of a path by a connection that the store knows
    /// nothing of; nil where the engine has no such connections.
    package func rows(_ sql: String, path: String) throws -> [[StoredValue]]? {
        try query?(sql, path)
    }

    /// Runs a body with descriptions of new stores, and removes these afterwards.
    package func withDescriptions<Result>(
        _ count: Int, _ body: ([StoreDescription]) throws -> Result
    ) throws -> Result {
        let (descriptions, remove) = try makeDescriptions(count)
        defer { remove() }
        return try body(descriptions)
    }

    /// - Returns: What removes the stores, too.
    private func makeDescriptions(
        _ count: Int
    ) throws -> (descriptions: [StoreDescription], remove: () -> Void) {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-engine-\(UUID().uuidString)")
        if usesFiles {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        let paths = (0..<count).map { folder.appending(path: "store\($0).sqlite").path() }
        return (
            try paths.map(describe),
            {
                paths.forEach(remove)
                if usesFiles { try? FileManager.default.removeItem(at: folder) }
            }
        )
    }

    /// Runs a body with a new store, which it may open again.
    package func withStore<Result>(
        _ model: CompiledModel, _ options: StoreOptions = StoreOptions(),
        _ body: (SpecifiedStore) throws -> Result
    ) throws -> Result {
        try withDescriptions(1) { descriptions in
            var description = descriptions[0]
            description.options = options
            let store = try SpecifiedStore(model, description, canBeOpenedAgain: canBeOpenedAgain)
            return try body(store)
        }
    }

    /// Runs a body with a container of a new store.
    package func withContainer<Result>(
        _ model: CompiledModel, _ options: StoreOptions = StoreOptions(),
        _ body: (PersistentContainer) throws -> Result
    ) throws -> Result {
        try withStore(model, options) { try body($0.container) }
    }

    /// Runs a body that waits with a container of a new store.
    @MainActor
    package func withContainer<Result>(
        _ model: CompiledModel, _ body: @MainActor (PersistentContainer) async throws -> Result
    ) async throws -> Result {
        let (descriptions, remove) = try makeDescriptions(1)
        defer { remove() }
        return try await body(PersistentContainer(model, descriptions[0]))
    }
}

extension EngineEntry: Hashable {
    /// Whether both have the same name.
    package static func == (one: EngineEntry, other: EngineEntry) -> Bool {
        one.name == other.name
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension EngineEntry: CustomTestStringConvertible {
    package var testDescription: String { name }
}

extension PersistentContainer {
    /// A container with one store that is opened, or made.
    package convenience init(_ model: CompiledModel, _ description: StoreDescription) throws {
        self.init(name: "Test", model: model)
        persistentStoreDescriptions = [description]
        var failure: (any Error)?
        loadPersistentStores { failure = failure ?? $1 }
        if let failure { throw failure }
    }
}
