/// A row, or a part of an input, that could not be imported.
public struct ImportError: Error, Sendable {
    /// The number of the source among the request's; the first has number 0.
    public let source: Int
    /// The name of the source's file, else that of its entity.
    public let sourceName: String
    /// The line where the field, or else the row, begins; the first has number 1. Nil where the
    /// input as a whole is meant.
    public let line: Int?
    /// Where in the line the field begins, in bytes from 1; nil where that is not known.
    public let column: Int?
    /// The field, in the file's words; nil where the row as a whole is meant.
    public let field: String?
    /// What is wrong, and what helps. It names the field and the limit, never the value.
    public let message: String
    /// The error behind it: a ``ValidationError`` where the model or the store refused the row.
    public let underlying: (any Error)?
}

extension ImportError: CustomStringConvertible {
    /// The place as tools print it, and the message: `products.csv:12:5: price is …`
    public var description: String {
        let place = [line, column].compactMap { $0.map { ":\($0)" } }.joined()
        return "\(sourceName)\(place): \(message)"
    }
}
