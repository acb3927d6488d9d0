import CambiumModel
import CambiumSQL

extension PostgresExpression {
    // MARK: Relations

    /// A relation of texts.
    package mutating func text(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression,
        _ options: ComparisonOptions, _ use: Use
    ) throws -> PostgresFragment {
        let options = options.subtracting(.normalized)
        let constant: String? =
            if case .literal(.string(let constant), _) = right { constant } else { nil }
        let test: PostgresFragment
        if relation == .matches {
            test = try matches(left, constant, options)
        } else if let constant {
            test = try self.text(folded(left, options), relation, constant.folded(options))
        } else {
            test = try self.text(folded(left, options), relation, folded(right, options))
        }
        return use == .filter ? test : "coalesce(\(test), false)"
    }

    private func text(
        _ text: PostgresFragment, _ relation: ComparisonOperator, _ constant: String
    ) throws -> PostgresFragment {
        if let pattern = Self.like(relation, constant) {
            return "\(text) LIKE \(Self.constant(pattern))"
        }
        return try self.text(text, relation, Self.constant(constant))
    }

    private func text(
        _ one: PostgresFragment, _ relation: ComparisonOperator, _ other: PostgresFragment
    ) throws -> PostgresFragment {
        switch relation {
        case .contains: "strpos(\(one), \(other)) > 0"
        case .beginsWith: "starts_with(\(one), \(other))"
        case .endsWith: "right(\(one), char_length(\(other))) = \(other)"
        case .equal: "\(one) IS NOT DISTINCT FROM \(other)"
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            "\(one) \(raw: relation.rawValue) \(other)"
        case .like, .matches, .notEqual, .in: throw UnsupportedExpression()
        }
    }

    /// MATCHES with a constant pattern. The server ignores the case of ASCII characters correctly.
    /// All other strings are in doubt, even constants.
    private mutating func matches(
        _ operand: TypedExpression, _ pattern: String?, _ options: ComparisonOptions
    ) throws -> PostgresFragment {
        guard let pattern = pattern.flatMap({ PostgresPattern(regularExpression: $0) }) else {
            throw UnsupportedExpression()
        }
        let text = try value(operand)
        if pattern.isOfASCII || !options.isEmpty { doubtUnlessASCII(text) }
        let relation = options.contains(.caseInsensitive) ? "~*" : "~"
        return "\(text) \(raw: relation) \(Self.constant(pattern.text))"
    }

    private static func constant(_ text: String) -> PostgresFragment {
        "(\(PostgresFragment(.text(text), as: .text)) COLLATE \"C\")"
    }

    /// The pattern of LIKE for a constant.
    private static func like(_ relation: ComparisonOperator, _ text: String) -> String? {
        let letters = text.unicodeScalars.map { WildcardPattern.Element.scalar($0) }
        let elements: [WildcardPattern.Element]
        switch relation {
        case .like: elements = WildcardPattern(text).elements
        case .beginsWith: elements = letters + [.anything]
        case .endsWith: elements = [.anything] + letters
        case .contains: elements = [.anything] + letters + [.anything]
        default: return nil
        }
        var pattern = ""
        for element in elements {
            switch element {
            case .anything: pattern += "%"
            case .one: pattern += "_"
            case .scalar(let scalar):
                if "%_\\".unicodeScalars.contains(scalar) { pattern += "\\" }
                pattern.unicodeScalars.append(scalar)
            }
        }
        return pattern
    }

    // MARK: Case and accents

    /// A string folded by the options. Whatever libraries the server has, it converts the case of
    /// ASCII characters correctly. All other strings are in doubt.
    private mutating func folded(
        _ operand: TypedExpression, _ options: ComparisonOptions
    ) throws -> PostgresFragment {
        let text = try value(operand)
        if options.isEmpty { return text }
        if case .literal(.string(let constant), _) = operand {
            return Self.constant(constant.folded(options))
        }
        doubtUnlessASCII(text)
        return options.contains(.caseInsensitive) ? "lower(\(text) COLLATE \"C\")" : text
    }

    private mutating func doubtUnlessASCII(_ text: PostgresFragment) {
        doubts.append("octet_length(\(text)) <> char_length(\(text))")
    }

    // MARK: Functions

    /// A function of texts. Their characters are Unicode scalars, here and in memory.
    package mutating func textFunction(
        _ function: ModelFunction, _ operands: [TypedExpression]
    ) throws -> PostgresFragment {
        guard let first = operands.first else { throw UnsupportedExpression() }
        let text = try value(first)
        func argument(_ index: Int) throws -> PostgresFragment {
            guard index < operands.count else { throw UnsupportedExpression() }
            return try value(operands[index])
        }
        switch function {
        case .uppercase, .lowercase, .canonical:
            doubtUnlessASCII(text)
            return "\(raw: function == .uppercase ? "upper" : "lower")(\(text) COLLATE \"C\")"
        case .left, .right:
            let name = function == .left ? "left" : "right"
            return """
                (SELECT \(raw: name)(_n.s, \(raw: Self.count("_n.n"))) \
                FROM (SELECT \(text) AS s, \(try argument(1)) AS n OFFSET 0) AS _n WHERE _n.n IS NOT NULL)
                """
        case .substring:
            // The end is counted from a start before the first character, too.
            let start = Self.count("_n.a")
            let end = Self.count("_n.a::numeric + greatest(_n.n, 0)")
            return """
                (SELECT substr(_n.s, \(raw: start) + 1, greatest(\(raw: end) - \(raw: start), 0)) \
                FROM (SELECT \(text) AS s, \(try argument(1)) AS a, \(try argument(2)) AS n OFFSET 0) AS _n \
                WHERE _n.a IS NOT NULL AND _n.n IS NOT NULL)
                """
        case .indexOf: return "(nullif(strpos(\(text), \(try argument(1))), 0) - 1)"
        case .replace: return "replace(\(text), \(try argument(1)), \(try argument(2)))"
        case .trim: return "btrim(\(text), \(Self.constant(Self.spaces)))"
        default: throw UnsupportedExpression()
        }
    }

    /// A number of characters: none has so many that this limit matters.
    private static func count(_ number: String) -> String {
        "least(greatest(\(number), 0), 1073741823)::integer"
    }

    /// All characters that Unicode calls white space.
    private static let spaces = String(
        String.UnicodeScalarView(
            (0...0x3000).compactMap(Unicode.Scalar.init).filter(\.properties.isWhitespace)))
}
