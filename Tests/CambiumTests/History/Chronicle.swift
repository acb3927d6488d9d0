@_spi(Generated) @testable import Cambium
import CambiumEngineSpecification
import EverythingModel
import Foundation
import Testing

/// Runs a body with a new store that keeps a history.
func withHistory<Result>(
    _ tracking: HistoryTracking = .values, _ model: CompiledModel = Chronicle.model,
    on kind: StoreKind = .current, _ body: (PersistentContainer) throws -> Result
) throws -> Result {
    try withStoreFile { path in
        try body(openHistory(at: kind.description(path: path).location, tracking, model))
    }
}

/// Opens a store that keeps a history.
func openHistory(
    at location: StoreLocation, _ tracking: HistoryTracking = .values,
    _ model: CompiledModel = Chronicle.model, retention: HistoryRetention? = nil,
    follows: Bool = false, hook: StatementHook? = nil
) throws -> PersistentContainer {
    var options = StoreOptions()
    options.history = tracking
    options.historyRetention = retention
    options.followsRemoteChanges = follows
    options.statementHook = hook
    return try PersistentContainer(model: model, at: location, options: options)
}

/// Runs a body with a container that follows what others save, a context of another container, and
/// the path of the file that they share.
@MainActor
func withFollower(
    _ tracking: HistoryTracking = .properties, hook: StatementHook? = nil,
    _ body: @MainActor (PersistentContainer, ManagedObjectContext, String) async throws -> Void
) async throws {
    let path = try makeStorePath()
    defer { removeStore(path) }
    let mine = try openHistory(
        at: .temporary(path), tracking, Everything.model, follows: true, hook: hook)
    let theirs = try PersistentContainer(model: Everything.model, at: .temporary(path))
    try await body(mine, theirs.newContext(), path)
}
