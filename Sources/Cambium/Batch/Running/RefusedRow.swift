import CambiumSQLite

/// A row that the store refuses, or a rule.
struct RefusedRow: Error {
    let entity: EntityDescription
    let key: Int64
    let underlying: any Error

    /// The error that a program sees.
    func publicError(in model: RuntimeModel) -> any Error {
        (underlying as? SQLiteError).flatMap {
            ConstraintFailure.validationError(for: $0, in: model)
        }
            ?? underlying
    }
}

extension SQLiteError {
    /// A constraint says no.
    static let constraint: Int32 = 19
}
