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

extension ImportError: LocalizedError {
    /// The place, and what is wrong there.
    public var errorDescription: String? { description }
    /// What the error behind it says of the reason.
    public var failureReason: String? {
        (underlying as? any LocalizedError)?.failureReason
            ?? "The input is not what the model or the format requires."
    }
    /// What to do about it.
    public var recoverySuggestion: String? {
        underlying?.suggestion ?? "Correct the input at that place, and import it again."
    }
}

extension ImportError: CoreDataCompatibleError {
    /// The code that Core Data uses for what is wrong; 1550 for input that cannot be read.
    public var coreDataCode: Int {
        (underlying as? any CoreDataCompatibleError)?.coreDataCode ?? 1550
    }
}
