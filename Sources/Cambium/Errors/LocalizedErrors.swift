// The messages of errors for users, in `localizedDescription` and in alerts: three different texts
// of each error say what is wrong, why, and how to fix it. They contain no value of the store. The
// texts are English.

extension ValidationError: LocalizedError {
    /// The model's own message if it has one; otherwise the problem with the property.
    public var errorDescription: String? { message }
    /// The property, or the rule.
    public var failureReason: String? {
        if let property { return "\(entityName).\(property) is not valid by the model." }
        let name = entityName.isEmpty ? "The object" : entityName
        return rule.map { "\(name) breaks the rule '\($0)' of the model." }
            ?? "\(name) did not pass its validation."
    }
    /// The suggested fix.
    public var recoverySuggestion: String? { code.remedy }
}

extension ValidationErrors: LocalizedError {
    /// Each message once, with the number of objects to which it applies.
    public var errorDescription: String? {
        groups.map { $0.count == 1 ? $0[0].message : "\($0[0].message) (\($0.count) objects)" }
            .excerpts(10, separator: "\n")
    }
    /// The number of values and objects that violate the model.
    public var failureReason: String? {
        let objects = Set(errors.compactMap { $0.objectID }).count
        return "\(errors.count) values of \(objects) object\(objects == 1 ? "" : "s") are not "
            + "valid by the model."
    }
    /// The suggested fixes, a line for each kind of violation.
    public var recoverySuggestion: String? { errors.map { $0.code.remedy }.lines }
}

extension ValidationError.Code {
    /// The suggested fix for a violation of this kind.
    fileprivate var remedy: String {
        switch self {
        case .custom, .ruleViolated: "Correct the object, and save again."
        case .missing: "Set the property to a value, or to an object that exists."
        case .tooFew: "Add objects to the relationship."
        case .tooMany: "Remove objects from the relationship."
        case .deleteDenied: "Delete the related objects first, or relate them to another object."
        case .numberTooLarge: "Choose a smaller number."
        case .numberTooSmall: "Choose a larger number."
        case .dateTooLate: "Choose an earlier date."
        case .dateTooSoon: "Choose a later date."
        case .tooLong: "Shorten the value."
        case .tooShort: "Choose a longer value."
        case .patternMismatch: "Choose a value that matches the model's pattern."
        case .notUnique: "Choose another value, or change the other object."
        case .unfitDecimal: "Round the number to the digits that the attribute stores."
        case .nulInText: "Remove the NUL character."
        case .unencodable: "Choose a value that JSON can represent."
        }
    }
}

extension ConflictError: LocalizedError {
    /// The objects and properties in conflict.
    public var errorDescription: String? { summary }
    /// The reason for the rejected save.
    public var failureReason: String? {
        "The rows have changed since this context read them, and its merge policy resolves no "
            + "conflicts."
    }
    /// The suggested fix.
    public var recoverySuggestion: String? { remedy }
}

extension ConstraintConflictError: LocalizedError {
    /// The objects and the properties.
    public var errorDescription: String? { summary }
    /// The reason for the rejected save.
    public var failureReason: String? { "The model has a unique constraint over these properties." }
    /// The suggested fix.
    public var recoverySuggestion: String? { remedy }
}

extension IncompleteSaveError: LocalizedError {
    /// The stores that have the changes, the stores that do not, and the reason.
    public var errorDescription: String? { "\(summary): \(underlying.words.ended)" }
    /// The message of the underlying error.
    public var failureReason: String? { underlying.words }
    /// The suggested fix.
    public var recoverySuggestion: String? {
        [underlying.suggestion, remedy].compactMap(\.self).joined(separator: " ")
    }
}

extension StoreError: LocalizedError {
    /// The problem and the place.
    public var errorDescription: String? { problem }
    /// The message of the underlying error, or the kind of failure.
    public var failureReason: String? {
        if let cause = underlying?.words, cause != problem { return cause }
        return code.reason
    }
    /// The suggested fix.
    public var recoverySuggestion: String? { remedy }
}

extension StoreError.Code {
    /// The kind of failure, as a sentence.
    fileprivate var reason: String {
        switch self {
        case .readOnly: "The store, its server or the context accepts no changes."
        case .cannotOpen: "The path does not name a file that can be opened or created as a store."
        case .corrupt: "The content of the store is not what Cambium writes."
        case .missingRow: "The row does not exist, or was deleted."
        case .busy: "Another process has locked the store."
        case .inaccessible: "The system refuses access to the file, its folder or its disk."
        case .keyTaken: "Keys of new objects are reserved, and another program has used one."
        case .notPermitted: "The user of the store lacks a right, or a policy refuses the row."
        case .commitOutcomeUnknown: "The server did not answer before the connection ended."
        case .notTrusted: "SQLite rejects objects that another program added to the store."
        case .unreadable: "A read failed while the context changed objects."
        case .missingFile: "A file that belongs to the store does not exist or cannot be used."
        case .objectOfAnotherContext: "Objects of different contexts or stores cannot be combined."
        case .invalidRequest: "The model or the store does not support the request."
        case .unsettled: "Code that runs during a save changes objects each time it runs."
        case .unknownName: "Names must match the model exactly."
        case .noStore: "The rows are in no store that is open."
        case .historyExpired: "The token is older than the history that the store keeps."
        case .noHistory: "A store records a history only if its options say so."
        }
    }
}

extension StoreLoadingError: LocalizedError {
    /// The store and the reason.
    public var errorDescription: String? {
        if let error = underlying as? StoreError, error.namesFile { return error.problem }
        let name = store.location.path.map { "'\(StoreFiles.name(of: $0))'" } ?? "\(store)"
        return "Cannot open \(name). \(underlying.words.ended)"
    }
    /// The message of the underlying error.
    public var failureReason: String? {
        (underlying as? any LocalizedError)?.failureReason ?? underlying.words
    }
    /// The suggested fix.
    public var recoverySuggestion: String? {
        underlying.suggestion ?? "Remove the cause, and open the store again."
    }
}

extension StoreLoadingErrors: LocalizedError {
    /// A line for each store.
    public var errorDescription: String? { errors.map { $0.words }.joined(separator: "\n") }
    /// The number of stores.
    public var failureReason: String? { "\(errors.count) stores could not be opened." }
    /// The suggested fixes, a line for each.
    public var recoverySuggestion: String? { errors.compactMap { $0.recoverySuggestion }.lines }
}

extension MigrationError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { problem.ended }
    /// The message of SQLite, or the kind of failure.
    public var failureReason: String? {
        switch self {
        case .notAStore: "The database has no metadata of a model."
        case .otherModel: "A store can only be opened with the model that created it."
        case .newerFormat: "A newer release of Cambium has written the file."
        case .newerVersion: "A newer release of the program has written the store."
        case .noWayBack, .unknownVersion:
            "The program has no migration from the version of the store."
        case .otherDraft: "A version that is not frozen has changed since the store was written."
        case .refused: "A row violates a constraint of the new version."
        case .statementFailed(_, let error), .backupFailed(_, let error): error.words
        case .storeIsDamaged: "SQLite's check of the file has found errors."
        case .brokenLinks: "The store has dangling references."
        case .storeDiffers, .columnsHaveNoPlace:
            "Another program has changed the schema of the store."
        case .externalObjectsInTheWay, .objectsAreNotTrusted:
            "Another program has created tables, indexes, views or triggers in the store."
        case .backupOfFilesFailed(_, let reason): reason.ended
        case .migrationIsOff: "Only a store of the program's own version can be opened."
        case .codeIsMissing: "A migration step of the program runs only in the program."
        case .cancelled: "The program, or the person who uses it, has stopped the migration."
        }
    }
    /// The suggested fix.
    public var recoverySuggestion: String? {
        if let remedy { return remedy.ended }
        return switch self {
        case .externalObjectsInTheWay(let objects), .objectsAreNotTrusted(let objects):
            objects.map { $0.remedy.sentence }.lines
        case .statementFailed:
            "Correct the step, or open the store with the previous version of the program."
        default: "Open the store again to migrate it."
        }
    }
}

extension MigrationStepError: LocalizedError {
    /// The step, the row and the reason.
    public var errorDescription: String? { description.ended }
    /// The error that the step threw.
    public var failureReason: String? { underlying.words }
    /// The suggested fix.
    public var recoverySuggestion: String? {
        underlying.suggestion ?? "Correct the step in the program, and open the store again."
    }
}

extension MigrationStepMistake: LocalizedError {
    /// The problem.
    public var errorDescription: String? { problem.ended }
    /// The place of the mistake.
    public var failureReason: String? {
        "A migration step of the program does what the new version does not allow."
    }
    /// The suggested fix.
    public var recoverySuggestion: String? {
        remedy?.sentence ?? "Let the step write rows that exist, with all values that they require."
    }
}

extension MigrationVerificationError: LocalizedError {
    /// A line for each failure.
    public var errorDescription: String? { description }
    /// The place of the mistake.
    public var failureReason: String? {
        "The program's steps do not do what the proof of the migration expects."
    }
    /// The suggested fix.
    public var recoverySuggestion: String? {
        "Correct the steps of the program, and verify them again."
    }
}

extension BatchInsertError: LocalizedError {
    /// The row and the problem.
    public var errorDescription: String? { "Row \(row): \(underlying.words)" }
    /// The reason of the underlying error.
    public var failureReason: String? {
        (underlying as? any LocalizedError)?.failureReason ?? underlying.words
    }
    /// The suggested fix.
    public var recoverySuggestion: String? {
        underlying.suggestion ?? "Correct the row, and insert all rows again."
    }
}

extension QueryGenerationExpired: LocalizedError {
    /// The reason for the end of the generation.
    public var errorDescription: String? { problem }
    /// The reason why it cannot be read any longer.
    public var failureReason: String? {
        "A query generation keeps the write-ahead log from being shortened, so that it has limits."
    }
    /// The suggested fix.
    public var recoverySuggestion: String? { remedy }
}

extension TooManyReadsError: LocalizedError {
    /// The limit and the place.
    public var errorDescription: String? { description }
    /// The number of statements.
    public var failureReason: String? {
        "\(report.count) statements have read, and \(limit) may."
    }
    /// The suggested fix: relationships to prefetch.
    public var recoverySuggestion: String? {
        report.repetitions.isEmpty
            ? "Read with fewer requests, or raise the limit."
            : report.repetitions.map {
                "Add \($0.remedy) to the request for \($0.entityName)."
            }.lines
    }
}

extension UnsupportedPredicateError: LocalizedError {
    /// The part, and why it cannot be asked of a store.
    public var errorDescription: String? { "\(part): \(reason)." }
    /// The reason for the limitation.
    public var failureReason: String? { "The store evaluates predicates as SQL." }
    /// The suggested replacement.
    public var recoverySuggestion: String? { "\(remedy)." }
}

extension ExpressionDiagnostic: LocalizedError {
    /// The problem.
    public var errorDescription: String? { message }
    /// The place of the mistake.
    public var failureReason: String? {
        part.map { "The mistake is in \($0)." } ?? "The mistake is at offset \(offset)."
    }
    /// The suggested correction.
    public var recoverySuggestion: String? { remedy }

    var remedy: String { hint?.sentence ?? "Correct the expression there." }
}

extension ExpressionDiagnostics: LocalizedError {
    /// A line for each mistake.
    public var errorDescription: String? { description }
    /// The number of mistakes.
    public var failureReason: String? {
        let count = diagnostics.count
        return "The expression has \(count) mistake\(count == 1 ? "" : "s")."
    }
    /// The suggested corrections.
    public var recoverySuggestion: String? { diagnostics.map { $0.remedy }.lines }
}

extension PatternLimitError: LocalizedError {
    /// The pattern and the number of steps.
    public var errorDescription: String? { problem }
    /// The reason for the limit.
    public var failureReason: String? {
        "The pattern needs more steps than the limit, which keeps a program from hanging."
    }
    /// The suggested fix.
    public var recoverySuggestion: String? { remedy }
}

extension RandomNumbersError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { problem }
    /// The failed call.
    public var failureReason: String? { "The system call getrandom has failed." }
    /// The suggested fix.
    public var recoverySuggestion: String? { remedy }
}

extension Error {
    /// The error's message for users.
    package var words: String {
        (self as? any LocalizedError)?.errorDescription ?? "\(self)"
    }

    /// The error's suggested fix.
    package var suggestion: String? { (self as? any LocalizedError)?.recoverySuggestion }
}

extension String {
    /// The text with a full stop at its end.
    @inline(never)
    package var ended: String { hasSuffix(".") || hasSuffix("?") ? self : self + "." }

    /// The text with a capital letter at its beginning and a full stop at its end.
    package var sentence: String { "\(prefix(1).uppercased())\(dropFirst())".ended }
}

extension [String] {
    /// Each text once, a line for each.
    fileprivate var lines: String {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }.excerpts(10, separator: "\n")
    }
}
