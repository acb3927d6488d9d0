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
}

extension ConflictError: LocalizedError {
    /// What is in conflict.
    public var errorDescription: String? { summary }
    /// What helps.
    public var recoverySuggestion: String? { remedy }
}

extension ConstraintConflictError: LocalizedError {
    /// The objects, the properties and what helps.
    public var errorDescription: String? { description }
}

extension IncompleteSaveError: LocalizedError {
    /// Which stores have the changes, which do not, and why.
    public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
    /// What happened and what helps.
    public var errorDescription: String? { message }
    /// What the error behind it says.
    public var failureReason: String? { underlying?.words }
}

extension StoreLoadingError: LocalizedError {
    /// Which store, and why.
    public var errorDescription: String? { description }
    /// What the error behind it says.
    public var failureReason: String? { underlying.words }
}

extension StoreLoadingErrors: LocalizedError {
    /// A line for each store.
    public var errorDescription: String? { description }
}

extension MigrationError: LocalizedError {
    /// What happened and what to do about it.
    public var errorDescription: String? { "\(description)." }
}

extension MigrationStepError: LocalizedError {
    /// The step, the row and the reason.
    public var errorDescription: String? { "\(description)." }
    /// What the step threw.
    public var failureReason: String? { underlying.words }
}

extension MigrationStepMistake: LocalizedError {
    /// What is wrong, and the remedy.
    public var errorDescription: String? { "\(description)." }
}

extension MigrationVerificationError: LocalizedError {
    /// A line for each failure.
    public var errorDescription: String? { description }
}

extension AdoptionError: LocalizedError {
    /// What happened and what to do about it.
    public var errorDescription: String? { "\(description)." }
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
}

extension ImportError: LocalizedError {
    /// The place, and what is wrong there.
    public var errorDescription: String? { description }
}

extension QueryGenerationExpired: LocalizedError {
    /// What ended the generation, and what helps.
    public var errorDescription: String? { description }
}

extension TooManyReadsError: LocalizedError {
    /// The limit and the place.
    public var errorDescription: String? { description }
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
}

extension PatternLimitError: LocalizedError {
    /// The pattern, the number of steps and what to do.
    public var errorDescription: String? { description }
}

extension RandomNumbersError: LocalizedError {
    /// What happened, and what helps.
    public var errorDescription: String? { description }
}

extension Error {
    /// What the error says to people.
    fileprivate var words: String {
        (self as? any LocalizedError)?.errorDescription ?? "\(self)"
    }
}
