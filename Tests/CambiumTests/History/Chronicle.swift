@_spi(Generated) @testable import Cambium
import EverythingModel
import Foundation
import Testing

/// A model with what histories treat in ways of their own: preserved and external attributes,
/// unique values, a hierarchy, derived values.
enum Chronicle {
    static let model = CompiledModel(plain)

    static let plain = Model(
        name: "Chronicle", version: "1",
        entities: [
            Entity(
                name: "Book",
                attributes: [
                    Attribute(name: "title", type: .string, isPreservedAfterDeletion: true),
                    Attribute(
                        name: "isbn", type: .string, isOptional: true,
                        isPreservedAfterDeletion: true),
                    Attribute(name: "pages", type: .int64, defaultValue: .constant(.int(0))),
                    Attribute(
                        name: "cover", type: .data, isOptional: true, isExternal: true,
                        isPreservedAfterDeletion: true),
                    Attribute(
                        name: "titleLength", type: .int64,
                        derivation: .function(.length, [.keyPath(root: .subject, names: ["title"])])
                    ),
                ],
                relationships: [
                    Relationship(
                        name: "author", destination: "Person", inverse: "books", isOptional: true)
                ], uniqueConstraints: [UniqueConstraint(properties: ["isbn"])]),
            Entity(name: "Novel", parent: "Book"),
            Entity(
                name: "Person",
                attributes: [
                    Attribute(name: "name", type: .string, defaultValue: .constant(.string(""))),
                    Attribute(
                        name: "bookCount", type: .int64,
                        derivation: .aggregate(
                            .count, .keyPath(root: .subject, names: ["books"]))),
                ],
                relationships: [
                    Relationship(
                        name: "books", destination: "Book", inverse: "author", isToMany: true)
                ]),
        ])
}

/// Runs a body with a new store that keeps a history.
func withHistory<Result>(
    _ tracking: HistoryTracking = .values, _ model: CompiledModel = Chronicle.model,
    on kind: StoreKind = .memory, _ body: (PersistentContainer) throws -> Result
) throws -> Result {
    try withStoreFile { path in
        try body(
            openHistory(at: kind == .file ? .file(path) : .memory, tracking, model))
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
        at: .file(path), tracking, Everything.model, follows: true, hook: hook)
    let theirs = try PersistentContainer(model: Everything.model, at: .file(path))
    try await body(mine, theirs.newContext(), path)
}

extension PersistentContainer {
    /// The transactions after a token.
    func history(after token: HistoryToken? = nil) throws -> [HistoryTransaction] {
        try coordinator.fetchHistory(HistoryRequest(after: token)).transactions
    }

    var historyToken: HistoryToken {
        get throws { try coordinator.currentHistoryToken() }
    }
}

extension ManagedObjectContext {
    /// A book that is not saved yet.
    @discardableResult
    func addBook(
        _ title: String, isbn: String? = nil, entity: String = "Book"
    ) throws -> ManagedObject {
        let book = try insertObject(ofEntity: entity)
        try book.setValue(.string(title), forKey: "title")
        if let isbn { try book.setValue(.string(isbn), forKey: "isbn") }
        return book
    }

    /// The book of a title.
    func book(_ title: String) throws -> ManagedObject {
        let books = try fetch(FetchRequest<ManagedObject>(entityName: "Book"))
        return try #require(books.first { try $0.value(forKey: "title") == .string(title) })
    }
}

extension [HistoryTransaction] {
    /// The changes as words, a list for each transaction.
    var words: [[String]] {
        map { $0.changes.map { "\($0.kind) \($0.objectID.entityName)\($0.names)" }.sorted() }
    }
}

extension HistoryChange {
    fileprivate var names: String {
        updatedProperties.isEmpty ? "" : " " + updatedProperties.sorted().joined(separator: " ")
    }
}
