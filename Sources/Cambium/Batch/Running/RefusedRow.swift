import CambiumRecords

/// A row that the store refuses, or a rule.
struct RefusedRow: Error {
    let entity: EntityDescription
    let key: Int64
    /// The error that a program sees.
    let underlying: any Error
    /// Whether another row has its unique values, which may get other ones in the same operation.
    var isOfUniqueValues = false
}
