import CambiumAdoption
import CambiumMigration
import CambiumSQLite

// What errors say to people, through `localizedDescription` and in alerts. No value of the store is
// in it. The texts are English.

extension ValidationError: LocalizedError {
    /// The model's own message, where the model has one, or what is wrong with the property.
    public var errorDescription: String? { message }
    /// The property, or the rule.
    public var failureReason: String? {
        if let property { return "\(entityName).\(property) is not as the model wants it." }
        return rule.map { "\(entityName) breaks the rule '\($0)' of the model." }
    }
    /// What helps, where the message does not say it.
    public var recoverySuggestion: String? {
        switch code {
        case .deleteDenied: "Delete those objects first, or let them refer to others."
        case .notUnique: "Choose another value, or change the other object."
        default: nil
        }
    }
}

extension ValidationErrors: LocalizedError {
    /// Each message once, with the number of objects that have it.
    public var errorDescription: String? {
        groups.map { $0.count == 1 ? $0[0].message : "\($0[0].message) (\($0.count) objects)" }
            .excerpts(10, separator: "\n")
    }
    /// How many values of how many objects break the model.
    public var failureReason: String? {
        let objects = Set(errors.compactMap(\.objectID)).count
        return "\(errors.count) values of \(objects) object\(objects == 1 ? "" : "s") are not as "
            + "the model wants them."
    }
    /// What helps, where the messages do not say it.
    public var recoverySuggestion: String? {
        var seen: Set<String> = []
        let remedies = errors.compactMap(\.recoverySuggestion).filter { seen.insert($0).inserted }
        return remedies.isEmpty ? nil : remedies.joined(separator: "\n")
    }
}

extension ConflictError: LocalizedError {
    /// What is in conflict.
    public var errorDescription: String? { summary }
    /// What helps.
    public var recoverySuggestion: String? { remedy }
}

extension ConstraintConflictError: LocalizedError {
    /// The objects and the properties.
    public var errorDescription: String? { summary }
    /// What helps.
    public var recoverySuggestion: String? { remedy }
}

extension IncompleteSaveError: LocalizedError {
    /// Which stores have the changes, which do not, and why.
    public var errorDescription: String? { "\(summary): \(underlying.words.ended)" }
    /// What the error behind it says.
    public var failureReason: String? { underlying.words }
    /// What helps.
    public var recoverySuggestion: String? { [underlying.suggestion, remedy].sentences }
}

extension StoreError: LocalizedError {
    /// What happened, and where.
    public var errorDescription: String? { problem }
    /// What the error behind it says.
    public var failureReason: String? { underlying?.words }
    /// What helps, where the description does not say it.
    public var recoverySuggestion: String? { remedy }
}

extension StoreLoadingError: LocalizedError {
    /// Which store, and why.
    public var errorDescription: String? {
        if let error = underlying as? StoreError, error.namesFile { return error.problem }
        let name = store.location.path.map { "'\(StoreFiles.name(of: $0))'" } ?? "\(store)"
        return "Cannot open \(name). \(underlying.words.ended)"
    }
    /// What the error behind it says.
    public var failureReason: String? {
        (underlying as? any LocalizedError)?.failureReason ?? underlying.words
    }
    /// What helps.
    public var recoverySuggestion: String? { underlying.suggestion }
}

extension StoreLoadingErrors: LocalizedError {
    /// A line for each store.
    public var errorDescription: String? { errors.map(\.words).joined(separator: "\n") }
    /// What helps, a line for each store that something helps.
    public var recoverySuggestion: String? {
        let remedies = errors.compactMap(\.recoverySuggestion)
        return remedies.isEmpty ? nil : remedies.joined(separator: "\n")
    }
}

extension MigrationError: LocalizedError {
    /// What happened.
    public var errorDescription: String? { problem.ended }
    /// What SQLite says, where it is the reason.
    public var failureReason: String? {
        switch self {
        case .statementFailed(_, let error), .backupFailed(_, let error): error.words
        default: nil
        }
    }
    /// What to do about it.
    public var recoverySuggestion: String? { remedy?.ended }
}

extension MigrationStepError: LocalizedError {
    /// The step, the row and the reason.
    public var errorDescription: String? { description.ended }
    /// What the step threw.
    public var failureReason: String? { underlying.words }
    /// What helps, where the step's error says it.
    public var recoverySuggestion: String? { underlying.suggestion }
}

extension MigrationStepMistake: LocalizedError {
    /// What is wrong, and the remedy.
    public var errorDescription: String? { description.ended }
}

extension MigrationVerificationError: LocalizedError {
    /// A line for each failure.
    public var errorDescription: String? { description }
    /// What helps.
    public var recoverySuggestion: String? {
        "Correct the steps of the program, and verify them again."
    }
}

extension AdoptionError: LocalizedError {
    /// What happened.
    public var errorDescription: String? { problem.ended }
    /// What SQLite says, where it is the reason.
    public var failureReason: String? {
        if case .damaged(_, let error) = self { error.words } else { nil }
    }
    /// What to do about it.
    public var recoverySuggestion: String? { remedy?.ended }
}

extension SQLiteError: LocalizedError {
    /// SQLite's message and code. No value is in it.
    public var errorDescription: String? { "SQLite error \(code): \(message)" }
    /// The statement, where there was one.
    public var failureReason: String? { sql.map { "In the statement: \($0.excerpt(2_000))" } }
}

extension BatchInsertError: LocalizedError {
    /// The row, and what is wrong with it.
    public var errorDescription: String? { "Row \(row): \(underlying.words)" }
    /// What the error behind it says of the reason.
    public var failureReason: String? { (underlying as? any LocalizedError)?.failureReason }
    /// What helps, where the error behind it says it.
    public var recoverySuggestion: String? { underlying.suggestion }
}

extension ImportError: LocalizedError {
    /// The place, and what is wrong there.
    public var errorDescription: String? { description }
    /// What the error behind it says of the reason.
    public var failureReason: String? { (underlying as? any LocalizedError)?.failureReason }
    /// What helps, where the error behind it says it.
    public var recoverySuggestion: String? { underlying?.suggestion }
}

extension QueryGenerationExpired: LocalizedError {
    /// What ended the generation, and what helps.
    public var errorDescription: String? { description }
}

extension TooManyReadsError: LocalizedError {
    /// The limit and the place.
    public var errorDescription: String? { description }
    /// What helps: relationships to prefetch.
    public var recoverySuggestion: String? {
        let remedies = report.repetitions.map {
            "Add \($0.remedy) to the request for \($0.entityName)."
        }
        return remedies.isEmpty ? nil : remedies.joined(separator: "\n")
    }
}

extension UnsupportedPredicateError: LocalizedError {
    /// The part, and why it cannot be asked of a store.
    public var errorDescription: String? { "\(part): \(reason)." }
    /// What to write instead.
    public var recoverySuggestion: String? { "\(remedy)." }
}

extension ExpressionDiagnostic: LocalizedError {
    /// What is wrong.
    public var errorDescription: String? { message }
    /// What would be right, where that can be told.
    public var recoverySuggestion: String? { hint }
}

extension ExpressionDiagnostics: LocalizedError {
    /// A line for each mistake.
    public var errorDescription: String? { description }
    /// What would be right, where that can be told.
    public var recoverySuggestion: String? {
        let hints = diagnostics.compactMap(\.hint)
        return hints.isEmpty ? nil : hints.joined(separator: "\n")
    }
}

extension PatternLimitError: LocalizedError {
    /// The pattern and the number of steps.
    public var errorDescription: String? { problem }
    /// What to do.
    public var recoverySuggestion: String? { remedy }
}

extension RandomNumbersError: LocalizedError {
    /// What happened.
    public var errorDescription: String? { problem }
    /// What helps.
    public var recoverySuggestion: String? { remedy }
}

extension Error {
    /// What the error says to people.
    fileprivate var words: String {
        (self as? any LocalizedError)?.errorDescription ?? "\(self)"
    }

    /// What the error says that helps.
    fileprivate var suggestion: String? { (self as? any LocalizedError)?.recoverySuggestion }
}

extension String {
    /// The text with a full stop at its end.
    fileprivate var ended: String { hasSuffix(".") ? self : self + "." }
}

extension [String?] {
    /// Those that there are, one after the other; nil where there is none.
    fileprivate var sentences: String? {
        let texts = compactMap(\.self)
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }
}
