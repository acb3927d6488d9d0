extension ModelExpression: CustomStringConvertible {
    /// The text of the expression, in the grammar of predicate formats.
    ///
    /// Parsed again and checked against the same entity it gives the same tree, for trees that came
    /// out of a text; only values that no text can say (infinities) are written as what comes
    /// nearest. The text is part of version hashes and does not change.
    public var description: String {
        text(.disjunction)
    }

    /// What an operand may be without brackets, from the loosest to the tightest binding.
    fileprivate enum Level: Int, Comparable {
        case disjunction
        case conjunction
        case negation
        case comparison
        case sum
        case product
        case power
        case primary

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        var next: Level { Level(rawValue: rawValue + 1) ?? .primary }
    }

    private func text(_ least: Level) -> String {
        level < least ? "(\(bare))" : bare
    }

    private var level: Level {
        switch self {
        case .or(let operands): operands.isEmpty ? .primary : .disjunction
        case .and(let operands): operands.isEmpty ? .primary : .conjunction
        case .not: .negation
        case .comparison, .between, .quantified: .comparison
        case .arithmetic(_, let operation, _): operation.level
        case .literal, .keyPath, .parameter, .list, .function, .aggregate, .subquery,
            .conditional, .refused:
            .primary
        }
    }

    private var bare: String {
        switch self {
        case .literal(let value): return value.expressionText
        case .refused(let reason): return "<\(reason)>"
        case .keyPath(let root, let names): return Self.path(root, names)
        case .parameter(let name): return "$\(name)"
        case .list(let elements):
            return "{\(elements.map { $0.text(.sum) }.joined(separator: ", "))}"
        case .and(let operands):
            guard !operands.isEmpty else { return "TRUEPREDICATE" }
            return operands.map { $0.text(.negation) }.joined(separator: " AND ")
        case .or(let operands):
            guard !operands.isEmpty else { return "FALSEPREDICATE" }
            return operands.map { $0.text(.conjunction) }.joined(separator: " OR ")
        case .not(let operand): return "NOT \(operand.text(.negation))"
        case .comparison(let left, let relation, let right, let options):
            let operation = relation.rawValue + options.expressionText
            return "\(left.text(.sum)) \(operation) \(right.text(.sum))"
        case .between(let operand, .parameter(let lower), .parameter(let upper))
        where lower == upper:
            return "\(operand.text(.sum)) BETWEEN $\(lower)"
        case .between(let operand, let lower, let upper):
            return "\(operand.text(.sum)) BETWEEN {\(lower.text(.sum)), \(upper.text(.sum))}"
        case .quantified(let quantifier, let comparison):
            return "\(quantifier.rawValue) \(comparison.text(.comparison))"
        case .arithmetic(let left, let operation, let right):
            let other = right.text(operation.level.next)
            return "\(left.text(operation.level)) \(operation.rawValue) \(other)"
        case .function(let function, let operands):
            return function.descriptor.text(of: operands.map { $0.text(.disjunction) })
        case .aggregate(let function, .keyPath(let root, let names)):
            return "\(Self.path(root, names)).\(function.rawValue)"
        case .aggregate(let function, .subquery(let path, let variable, let condition)):
            return Self.subquery(path, variable, condition) + ".\(function.rawValue)"
        case .aggregate(let function, let operand):
            return "\(function.name)(\(operand.text(.disjunction)))"
        case .subquery(let path, let variable, let condition):
            return Self.subquery(path, variable, condition)
        case .conditional(let condition, let first, let second):
            let parts = [condition, first, second].map { $0.text(.disjunction) }
            return "TERNARY(\(parts.joined(separator: ", ")))"
        }
    }

    private static func path(_ root: PathRoot, _ names: [String]) -> String {
        switch root {
        case .variable(let name): return (["$\(name)"] + names).joined(separator: ".")
        case .subject:
            guard let first = names.first else { return "SELF" }
            let isKeyword = ExpressionParser.isKeyword(first)
            return (isKeyword ? "#" : "") + names.joined(separator: ".")
        }
    }

    private static func subquery(
        _ path: ModelExpression, _ variable: String, _ condition: ModelExpression
    ) -> String {
        "SUBQUERY(\(path.text(.sum)), $\(variable), \(condition.text(.disjunction)))"
    }
}

extension ArithmeticOperator {
    fileprivate var level: ModelExpression.Level {
        switch self {
        case .add, .subtract, .bitwiseAnd, .bitwiseOr: .sum
        case .multiply, .divide: .product
        case .power: .power
        }
    }
}

extension AggregateFunction {
    /// The name of the function over any value of many objects.
    fileprivate var name: String {
        switch self {
        case .count: "count"
        case .sum: "sum"
        case .average: "average"
        case .minimum: "min"
        case .maximum: "max"
        }
    }
}

extension ComparisonOptions {
    package var expressionText: String {
        guard !isEmpty else { return "" }
        let letters: [(ComparisonOptions, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"),
        ]
        return "[\(letters.filter { contains($0.0) }.map(\.1).joined())]"
    }
}

extension Value {
    /// The constant as an expression's text spells it.
    package var expressionText: String {
        switch self {
        case .null: "nil"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): Self.digits(of: value)
        case .decimal(let value): value.description
        case .date(let value): Self.digits(of: value.timeIntervalSinceReferenceDate)
        case .data(let value): "0x" + value.hexadecimal
        default: Self.quoted(plainText)
        }
    }

    private static func digits(of value: Double) -> String {
        if value.isNaN { return "nil" }
        if value.isInfinite {
            return value < 0 ? "-1.7976931348623157e308" : "1.7976931348623157e308"
        }
        return value.description
    }

    private static func quoted(_ text: String) -> String {
        let escapes: [Unicode.Scalar: String] = [
            "'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t",
        ]
        return "'\(text.escaping { escapes[$0] })'"
    }
}
