import CambiumMigration

/// What went wrong between a context and its store.
public struct StoreError: Error, Sendable {
    /// What kind of failure it is, for programs.
    public enum Code: Sendable, Hashable {
        /// The store was opened for reading only.
        case readOnly
        /// The store's file cannot be opened, or made.
        case cannotOpen
        /// The file is no store of this program, or another program damaged it.
        case corrupt
        /// The row of an object is gone.
        case missingRow
        /// Another program is writing the store, for longer than `StoreOptions.busyTimeout`.
        case busy
        /// The file of an open store, its folder or its disk cannot be read or written: there is no
        /// room, or no leave, or the disk failed.
        case inaccessible
        /// Triggers or views of another program are in the way.
        case notTrusted
        /// A change was made by values that could not be read.
        case unreadable
        /// The file of a large value, or one that is to be imported, is gone or cannot be read; or
        /// one cannot be written.
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
        /// A part of the history that was asked for is gone.
        case historyExpired
        /// No store keeps a history.
        case noHistory
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, where, and what helps.
    public var message: String { remedy.map { "\(problem) \($0)" } ?? problem }
    /// What happened and where; what helps too, where that is not said apart.
    let problem: String
    /// What helps, in sentences of its own.
    let remedy: String?
    /// The error behind it, if any.
    public let underlying: (any Error)?

    init(
        code: Code, message problem: String, remedy: String? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.problem = problem
        self.remedy = remedy
        self.underlying = underlying
    }

    /// Whether the message says which file it is about.
    var namesFile: Bool {
        [.cannotOpen, .corrupt, .busy, .inaccessible, .notTrusted, .missingFile].contains(code)
    }

    static let readOnly = StoreError(
        code: .readOnly,
        message: "The store was opened for reading only.",
        remedy: "Open it without isReadOnly to write it.")

    static let closed = StoreError(
        code: .noStore,
        message: "The store was removed from its coordinator.",
        remedy: "Add it again to go on.")

    static func missingRow(of object: ManagedObject) -> StoreError {
        StoreError(
            code: .missingRow, message: "The row of \(object.objectID) is gone.",
            remedy: "Another context or program has deleted it. Take the object's changes back "
                + "with refresh(_:mergeChanges:) or rollback().")
    }

    static func noKeysLeft(for entityName: String) -> StoreError {
        StoreError(
            code: .corrupt,
            message: "An object of \(entityName) has the greatest key that there is, so that there "
                + "is none for another one. Whoever wrote the store by hand gave it that.")
    }

    static let busy = StoreError(
        code: .invalidRequest,
        message: "The store is in use by the caller itself.",
        remedy: "A merge policy, the handler of a batch "
            + "insertion, a statement hook, a store of the program's own and the initializer of an "
            + "object must not use, move or remove the store that calls them.")

    /// The code that Core Data uses for the nearest thing, for ported code.
    public var coreDataCode: Int {
        switch code {
        case .readOnly: 513
        case .cannotOpen: 134080
        case .busy: 134090
        case .inaccessible, .notTrusted: 134180
        case .corrupt, .missingFile: 259
        case .missingRow: 133000
        case .unreadable: 134030
        case .foreignObject: 134020
        case .invalidRequest, .unknownName, .noHistory: 134060
        case .unsettled: 134030
        case .noStore: 134030
        case .historyExpired: 134301
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// The message, and the error behind it.
    public var description: String {
        let cause = underlying.map { "\($0)" }
        // It may be what the message was made of.
        return cause.flatMap { $0.contains(message) ? nil : "\(message) (\($0))" } ?? message
    }
}

/// Runs a body that uses files, and says as an error of the store's what goes wrong with them.
///
/// - Throws: ``StoreError`` with `missingFile`, or with `corrupt` where what has a file's name is no
///   file; what else the body throws.
func reportingFiles<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as FileError {
        throw StoreError(
            code: error.code == nil ? .corrupt : .missingFile, message: error.description)
    }
}
