/// A row that a batch insertion could not insert. Nothing was inserted.
public struct BatchInsertError: Error, Sendable {
    /// The number of the row in the input; the first has number 0.
    public let row: Int
    /// What is wrong with it: a ``ValidationError`` as a rule, which names the property and the
    /// limit.
    public let underlying: any Error
}

extension BatchInsertError: CustomStringConvertible {
    /// The row, and what is wrong with it.
    public var description: String { "Row \(row): \(underlying)" }
}
