import CambiumMigration
import CambiumModel
import CambiumRecords

/// An error of a store, or of a context that uses it.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs.
    ///
    /// ## Topics
    ///
    /// ### Opening
    ///
    /// - ``cannotOpen``
    /// - ``corrupt``
    /// - ``notTrusted``
    ///
    /// ### Access
    ///
    /// - ``busy``
    /// - ``readOnly``
    /// - ``notPermitted``
    /// - ``inaccessible``
    /// - ``noStore``
    ///
    /// ### Objects and files
    ///
    /// - ``missingRow``
    /// - ``missingFile``
    /// - ``unreadable``
    ///
    /// ### Requests and names
    ///
    /// - ``invalidRequest``
    /// - ``unknownName``
    /// - ``objectOfAnotherContext``
    ///
    /// ### Saving
    ///
    /// - ``commitOutcomeUnknown``
    /// - ``keyTaken``
    /// - ``unsettled``
    ///
    /// ### History
    ///
    /// - ``noHistory``
    /// - ``historyExpired``
    public enum Code: Sendable, Hashable {
        /// The store was opened for reading only, or its server accepts no changes.
        case readOnly
        /// The store's file cannot be opened or created, or Cambium does not support its server or
        /// database.
        case cannotOpen
        /// The file is not a store of this program, or another program damaged it.
        case corrupt
        /// The row of an object was deleted.
        case missingRow
        /// Another program is writing the store, for longer than `StoreOptions.busyTimeout`; or a
        /// server or its connections are in use for too long (see ``StoreError/serverFailure``).
        case busy
        /// The file of an open store, its folder or its disk cannot be read or written: there is no
        /// space, or no permission, or the disk failed. Or a server cannot be reached, or rejects
        /// the connection.
        case inaccessible
        /// Another program has given a row the key that a new object has.
        case keyTaken
        /// A server does not let the user of the store read or write this, or a policy of its
        /// tables rejects a row.
        case notPermitted
        /// The connection to a server was lost while it committed a save, and the server did not
        /// report in time whether the changes were saved. Use ``StoreError/commit`` to find out
        /// later.
        case commitOutcomeUnknown
        /// Triggers or views of another program prevent the operation.
        case notTrusted
        /// A change depends on values that could not be read.
        case unreadable
        /// The file of a large value, or one that is to be imported, is missing or cannot be read;
        /// or a file cannot be written.
        case missingFile
        /// An object was used with one of another context.
        case objectOfAnotherContext
        /// A fetch request has an invalid value.
        case invalidRequest
        /// The save did not settle: hooks kept changing objects.
        case unsettled
        /// A key, property or entity of that name does not exist.
        case unknownName
        /// The coordinator has no store for the entity, or the store was removed from the
        /// coordinator. Or while the store was open, it was destroyed, another process migrated it,
        /// or its files were deleted, moved or replaced.
        case noStore
        /// A part of the requested history was deleted.
        case historyExpired
        /// No store keeps a history.
        case noHistory
    }

    /// The kind of failure.
    public let code: Code
    /// The problem, the place, and the suggested fix.
    public var message: String { "\(problem) \(remedy)" }
    /// The problem and the place, as a sentence.
    package let problem: String
    /// The suggested fix, as sentences.
    package let remedy: String
    /// The error behind it, if any.
    public let underlying: (any Error)?
    /// The reason why a server did not execute the request; nil if the error is not about a server.
    public let serverFailure: ServerFailure?
    /// The save with the unknown outcome; nil for other errors.
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

    /// Whether the message names its file.
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

    /// The error of an invalid call.
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

    /// The error of a commit without an answer.
    package static func unknownOutcome(
        of commit: CommitID, after time: Duration, _ error: any Error
    ) -> StoreError {
        StoreError(
            code: .commitOutcomeUnknown,
            message: "The connection to the server was lost while it committed the save "
                + "\(commit.uuid.uuidString), and did not confirm within \(time) whether it has. "
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
    /// - Parameter store: A description of the store, such as a file or a schema, with an article
    ///   before it.
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

    /// The suggested replacement for a name that does not exist.
    package static func remedy(for name: String, among known: [String]) -> String {
        if let nearest = nearestName(to: name, among: known) { return "Did you mean \(nearest)?" }
        return known.isEmpty ? "Remove the name." : "Choose one of these: \(known.excerpts())."
    }

    /// The code of the most similar Core Data error, for ported code.
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
        case .objectOfAnotherContext: 134020
        case .invalidRequest, .unknownName, .noHistory: 134060
        case .unsettled, .commitOutcomeUnknown: 134030
        case .noStore: 134030
        case .historyExpired: 134301
        }
    }

    /// The message, and the error behind it.
    public var description: String {
        let cause = underlying.map { "\($0)" }
        // The message may contain the cause, or the cause the message.
        let isNew = cause.map { !$0.contains(message) && !message.contains($0) } ?? false
        return isNew ? "\(message) (\(cause ?? ""))" : message
    }
}

/// Runs a body that uses files, and reports their errors as store errors.
///
/// - Throws: ``StoreError`` with `missingFile`, or with `corrupt` if something else than a file has
///   a file's name; any other error of the body.
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

/// The error of a read by a context with a query generation that has ended. A generation ends if it
/// was used for too long, or if other contexts and programs have saved too much in the meantime.
///
/// The context needs another one: `setQueryGeneration(.current)`. To update its objects as well,
/// call `refreshAllObjects()`.
public struct QueryGenerationExpired: Error, Sendable, CustomStringConvertible {
    /// The reason for the end of the generation, as the end of a sentence without its full stop.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }

    /// The reason for the end of the generation, and the suggested fix.
    public var description: String { "\(problem) \(remedy)" }

    package var problem: String { "The query generation has ended: \(reason)." }

    package var remedy: String { "Call setQueryGeneration(.current) for another one." }
}

/// The error of a row that the store or a rule rejects.
package struct RefusedRow: Error {
    package let entity: EntityDescription
    package let key: Int64
    /// The error that a program sees.
    package let underlying: any Error
    /// Whether another row has its unique values. That row may get other ones in the same
    /// operation.
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
