/// A word of an expression's text.
struct ExpressionToken {
    enum Kind {
        /// A name or keyword; `isEscaped` where it was written `#name`, which is never a keyword.
        case word(String, isEscaped: Bool)
        /// Digits as they stand in the text.
        case number(String)
        /// The contents of a quoted string.
        case string(String)
        /// `$name`.
        case variable(String)
        /// `@name`, with the sign.
        case operation(String)
        /// `%@`, `%K` or another format, without the percent sign.
        case placeholder(String)
        /// An operator or a bracket.
        case symbol(String)
        case end
        /// What is no word. (Indirect, so that tokens stay small: parsing recurses on small
        /// stacks.)
        indirect case invalid(ExpressionDiagnostic)
    }

    let kind: Kind
    let offset: Int

    /// Whether it is this operator or bracket.
    func isSymbol(_ symbol: String) -> Bool {
        if case .symbol(let own) = kind { own == symbol } else { false }
    }

    /// How messages call it.
    var description: String {
        switch kind {
        case .word(let text, _), .number(let text), .symbol(let text), .operation(let text):
            "'\(text)'"
        case .string: "a string"
        case .variable(let name): "'$\(name)'"
        case .placeholder(let format): "'%\(format)'"
        case .end: "the end"
        case .invalid: "what is no word"
        }
    }
}
