import CambiumMigration
import CambiumModel
import CambiumRecords

/// What went wrong between a context and its store.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is, for programs.
    public enum Code: Sendable, Hashable {
        /// The store was opened for reading only, or its server accepts no changes.
        case readOnly
        /// The store's file cannot be opened, or made; or its server or database is none that Cambium
        /// knows how to use.
        case cannotOpen
        /// The file is no store of this program, or another program damaged it.
        case corrupt
        /// The row of an object was deleted.
        case missingRow
        /// Another program is writing the store, for longer than `StoreOptions.busyTimeout`; or a server
        /// or its connections are in use for too long (``StoreError/serverFailure`` says why).
        case busy
        /// The file of an open store, its folder or its disk cannot be read or written: there is no
        /// room, or no leave, or the disk failed. Or a server cannot be reached, or refuses to serve.
        case inaccessible
        /// Another program has given a row the key that a new object has.
        case keyTaken
        /// A server does not let the user of the store read or write that, or a policy of its tables
        /// refuses a row.
        case notPermitted
        /// The connection to a server was lost while it committed a save, and the server did not say
        /// in time whether the changes were saved. ``StoreError/commit`` finds that out later.
        case commitOutcomeUnknown
        /// Triggers or views of another program are in the way.
        case notTrusted
        /// A change was made by values that could not be read.
        case unreadable
        /// The file of a large value, or one that is to be imported, is missing or cannot be read;
        /// or a file cannot be written.
        case missingFile
        /// An object was used with one of another context.
        case foreignObject
        /// The value of a fetch request cannot be what the request asks for.
        case invalidRequest
        /// The save did not settle: hooks went on changing objects.
        case unsettled
        /// A key, property or entity of that name does not exist.
        case unknownName
        /// The coordinator has no store for the entity, or not any more; or the store was destroyed
        /// while it was open, or migrated by another process, or its files were deleted, moved or
        /// replaced.
        case noStore
        /// A part of the requested history was deleted.
        case historyExpired
        /// No store keeps a history.
        case noHistory
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong, where, and what to do about it.
    public var message: String { "\(problem) \(remedy)" }
    /// What is wrong, and where, as a sentence.
    package let problem: String
    /// What to do about it, as sentences.
    package let remedy: String
    /// The error behind it, if any.
    public let underlying: (any Error)?
    /// Why a server did not do what the store asked of it; nil where it is not about a server.
    public let serverFailure: ServerFailure?
    /// The save whose outcome is unknown; nil for other errors.
    public let commit: CommitID?

    package init(
        code: Code, message problem: String, remedy: String, underlying: (any Error)? = nil,
        serverFailure: ServerFailure? = nil, commit: CommitID? = nil
    ) {
        self.serverFailure = serverFailure
        self.commit = commit
        self.code = code
        self.problem = problem
        self.remedy = remedy
        self.underlying = underlying
    }

    /// Whether the message says which file it is about.
    package var namesFile: Bool {
        [.cannotOpen, .corrupt, .busy, .inaccessible, .notTrusted, .missingFile].contains(code)
    }

    package static let readOnly = StoreError(
        code: .readOnly,
        message: "The store was opened for reading only.",
        remedy: "Open it without isReadOnly to change it.")

    package static let closed = StoreError(
        code: .noStore,
        message: "The store was removed from its coordinator.",
        remedy: "Add it to the coordinator again.")

    /// The error of a call that cannot be carried out as it was made.
    package static func invalidRequest(_ message: String, remedy: String) -> StoreError {
        StoreError(code: .invalidRequest, message: message, remedy: remedy)
    }

    package static func noKeysLeft(for entityName: String) -> StoreError {
        StoreError(
            code: .corrupt,
            message: "No key is left for a new object of \(entityName), because another program "
                + "gave the greatest key to a row.",
            remedy: "Restore a backup, or give that row a smaller key.")
    }

    package static let busy = StoreError(
        code: .invalidRequest,
        message: "The store is in use by the caller itself.",
        remedy: "Do not use, move or remove the store in code that it calls: a merge policy, the "
            + "handler of a batch insertion, a statement hook, a custom store or the initializer "
            + "of an object.")

    /// The error of a save whose commit nobody has answered.
    package static func unknownOutcome(
        of commit: CommitID, after time: Duration, _ error: any Error
    ) -> StoreError {
        StoreError(
            code: .commitOutcomeUnknown,
            message: "The connection to the server was lost while it committed the save "
                + "\(commit.uuid.uuidString), and it did not say within \(time) whether it has. "
                + "The changes are saved completely or not at all, but it is not known which.",
            remedy: "Call outcome(of:) of the container with the commit of this error, before the "
                + "same changes are saved again.",
            underlying: error, serverFailure: .connectionLost, commit: commit)
    }

    package static func historyExpired(_ store: UUID) -> StoreError {
        StoreError(
            code: .historyExpired,
            message: "The history of the store \(store.uuidString) does not have all transactions "
                + "after the token: some were deleted, or the history was restarted.",
            remedy: "Read the objects themselves, and continue with currentHistoryToken().")
    }

    /// The error of a store that another process has migrated while it was open.
    ///
    /// - Parameter store: What names it, such as a file or a schema, with an article before it.
    package static func migrated(
        _ store: String, toVersion version: String, of model: String, _ error: (any Error)?
    ) -> StoreError {
        StoreError(
            code: .noStore,
            message: "\(store) was migrated to version \(version.excerpt()) of "
                + "\(model.excerpt()) while it was open, by another process.",
            remedy: "Unsaved changes stay in their contexts. Start this program again in a build "
                + "that knows that version.",
            underlying: error)
    }

    package static let noHistory = StoreError(
        code: .noHistory,
        message: "The store keeps no history, or another process has turned it off.",
        remedy: "Set StoreOptions.history where the store is opened.")

    /// An error about a name that does not exist.
    ///
    /// - Parameter known: The names that exist.
    package static func unknownName(
        _ problem: String, _ name: String, among known: [String]
    ) -> StoreError {
        StoreError(
            code: .unknownName, message: problem, remedy: remedy(for: name, among: known))
    }

    package static func unknownEntity(_ name: String, in model: Model) -> StoreError {
        unknownName(
            "The model \(model.name) has no entity \(name).", name,
            among: model.entities.map(\.name))
    }

    /// An error about an entity that has no objects of its own.
    package static func noConcreteEntity(_ name: String, in model: Model) -> StoreError {
        unknownName(
            "The model \(model.name) has no entity \(name) that is not abstract.", name,
            among: model.entities.filter { !$0.isAbstract }.map(\.name))
    }

    /// What to write instead of a name that does not exist.
    package static func remedy(for name: String, among known: [String]) -> String {
        if let nearest = nearestName(to: name, among: known) { return "Did you mean \(nearest)?" }
        return known.isEmpty ? "Remove the name." : "Choose one of these: \(known.excerpts())."
    }

    /// The code that Core Data uses for the nearest thing, for ported code.
    public var coreDataCode: Int {
        switch code {
        case .readOnly, .notPermitted: 513
        case .keyTaken: 133021
        case .cannotOpen: 134080
        case .busy: 134090
        case .inaccessible, .notTrusted: 134180
        case .corrupt, .missingFile: 259
        case .missingRow: 133000
        case .unreadable: 134030
        case .foreignObject: 134020
        case .invalidRequest, .unknownName, .noHistory: 134060
        case .unsettled, .commitOutcomeUnknown: 134030
        case .noStore: 134030
        case .historyExpired: 134301
        }
    }

    /// The message, and the error behind it.
    public var description: String {
        let cause = underlying.map { "\($0)" }
        // It may be what the message was made of.
        let isNew = cause.map { !$0.contains(message) && !message.contains($0) } ?? false
        return isNew ? "\(message) (\(cause ?? ""))" : message
    }
}

/// Runs a body that uses files, and says as an error of the store's what goes wrong with them.
///
/// - Throws: ``StoreError`` with `missingFile`, or with `corrupt` where what has a file's name is no
///   file; what else the body throws.
package func reportingFiles<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as FileError {
        throw StoreError(
            code: error.code == nil ? .corrupt : .missingFile, message: error.description,
            remedy: "Restore the file from a backup, or see that the program may read and write "
                + "it.")
    }
}

/// A read by a context whose query generation has ended, because it was held for too long or others
/// have saved too much meanwhile.
///
/// The context needs another one: `setQueryGeneration(.current)`, and `refreshAllObjects()` where
/// its objects are to be as new.
public struct QueryGenerationExpired: Error, Sendable, CustomStringConvertible {
    /// What ended the generation, as the end of a sentence without its full stop.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }

    /// What ended the generation, and what to do about it.
    public var description: String { "\(problem) \(remedy)" }

    package var problem: String { "The query generation has ended: \(reason)." }

    package var remedy: String { "Call setQueryGeneration(.current) for another one." }
}

/// A row that the store refuses, or a rule.
package struct RefusedRow: Error {
    package let entity: EntityDescription
    package let key: Int64
    /// The error that a program sees.
    package let underlying: any Error
    /// Whether another row has its unique values, which may get other ones in the same operation.
    package var isOfUniqueValues = false

    package init(
        entity: EntityDescription, key: Int64, underlying: any Error,
        isOfUniqueValues: Bool = false
    ) {
        self.entity = entity
        self.key = key
        self.underlying = underlying
        self.isOfUniqueValues = isOfUniqueValues
    }

    /// A row that breaks a one-to-one.
    package static func ofPartner(
        _ key: UniqueKey, _ entity: EntityDescription, _ row: Int64
    ) -> RefusedRow {
        let property = key.properties[0]
        let reason =
            key.isOwnInverse
            ? "\(property) is its own inverse, and the object at the other end does not reference "
                + "this one."
            : "\(property) references an object that another one already has."
        return RefusedRow(
            entity: entity, key: row,
            underlying: ValidationError(
                code: .notUnique, entityName: entity.name, objectID: nil, property: property,
                message: reason),
            isOfUniqueValues: true)
    }
}
