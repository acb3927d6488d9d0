/// One thing that is wrong with an expression.
public struct ExpressionDiagnostic: Error, Sendable, Hashable {
    /// Where, as a number of UTF-8 bytes from the start of the text; 0 where there is no text.
    public let offset: Int
    private var contents: Contents

    private struct Details: Sendable {
        var part: String?
        let message: String
        let hint: String?
        var lackingEntity: String?
        var lackingParameter: String?
        var lacksType = false
    }

    /// In a box, as every frame of the parser's recursion has room for several mistakes.
    private indirect enum Contents: Sendable {
        case details(Details)
    }

    private var details: Details {
        get {
            switch contents {
            case .details(let details): details
            }
        }
        set { contents = .details(newValue) }
    }

    /// Describes a mistake. What is much longer than a message to a person, because a name or a
    /// string in it is, is cut.
    public init(offset: Int, message: String, hint: String? = nil) {
        self.offset = offset
        contents = .details(
            Details(message: Self.abbreviated(message), hint: hint.map(Self.abbreviated)))
    }

    /// The part of a tree that is wrong, in the words of the text format, where code has built the
    /// tree and there is no text to point at.
    public var part: String? { details.part }

    /// What is wrong.
    public var message: String { details.message }

    /// What would be right, where that can be told.
    public var hint: String? { details.hint }

    /// The entity that does not have a property, where that is the mistake.
    package var lackingEntity: String? {
        get { details.lackingEntity }
        set { details.lackingEntity = newValue }
    }

    /// The parameter that there is not, where that is the mistake.
    package var lackingParameter: String? {
        get { details.lackingParameter }
        set { details.lackingParameter = newValue }
    }

    /// Whether the mistake is that nothing tells the type of a parameter.
    package var lacksType: Bool {
        get { details.lacksType }
        set { details.lacksType = newValue }
    }

    /// Equal are mistakes that say the same of the same place.
    public static func == (left: ExpressionDiagnostic, right: ExpressionDiagnostic) -> Bool {
        left.offset == right.offset && left.part == right.part && left.message == right.message
            && left.hint == right.hint
    }

    /// Feeds what makes mistakes equal.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(offset)
        hasher.combine(part)
        hasher.combine(message)
        hasher.combine(hint)
    }

    /// The same mistake of a part of a tree.
    func naming(_ part: String) -> ExpressionDiagnostic {
        var diagnostic = ExpressionDiagnostic(offset: 0, message: message, hint: hint)
        diagnostic.details.part = Self.abbreviated(part)
        diagnostic.details.lackingEntity = lackingEntity
        diagnostic.details.lackingParameter = lackingParameter
        diagnostic.details.lacksType = lacksType
        return diagnostic
    }

    private static func abbreviated(_ text: String) -> String {
        let maximum = 500
        guard text.utf8.count > maximum else { return text }
        return "\(text.unicodeScalars.prefix(maximum / 2).map(String.init).joined()) … "
            + text.unicodeScalars.suffix(maximum / 4).map(String.init).joined()
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
            let place = diagnostic.part.map { "in \($0)" } ?? "at \(diagnostic.offset)"
            return "\(place): \(diagnostic.message)\(hint)"
        }.joined(separator: "\n")
    }
}
