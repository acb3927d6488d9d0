/// One thing that is wrong with the text of an expression.
public struct ExpressionDiagnostic: Error, Sendable, Hashable {
    /// Where, as a number of UTF-8 bytes from the start of the text.
    public let offset: Int
    /// What is wrong.
    public let message: String
    /// What would be right, where that can be told.
    public let hint: String?

    /// Describes a mistake.
    public init(offset: Int, message: String, hint: String? = nil) {
        self.offset = offset
        self.message = message
        self.hint = hint
    }
}

/// Everything that is wrong with an expression, in the order of the text. It is never empty.
public struct ExpressionDiagnostics: Error, Sendable, Hashable, CustomStringConvertible {
    /// The mistakes.
    public let diagnostics: [ExpressionDiagnostic]

    /// Puts mistakes in the order of the text.
    public init(_ diagnostics: [ExpressionDiagnostic]) {
        self.diagnostics = diagnostics.sorted { $0.offset < $1.offset }
    }

    /// One line for each mistake.
    public var description: String {
        diagnostics.map { diagnostic in
            let hint = diagnostic.hint.map { " (\($0))" } ?? ""
            return "at \(diagnostic.offset): \(diagnostic.message)\(hint)"
        }.joined(separator: "\n")
    }
}
