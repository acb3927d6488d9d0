import CambiumRecords

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
}
