extension ModelExpression: CustomStringConvertible {
    /// The text of the expression, in the grammar of predicate formats.
    ///
    /// If a tree was parsed from a text, parsing its description against the same entity gives the
    /// same tree. Infinities have no text and are written as the nearest value. The text is part of
    /// version hashes and does not change.
    public var description: String {
        text(.disjunction)
    }

    /// The levels of binding, from the loosest to the tightest. An operand of a lower level needs
    /// brackets.
    enum Level: Int, Comparable {
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
        case .refused(let reason): return "<" + reason + ">"
        case .keyPath(let root, let names): return Self.path(root, names)
        case .parameter(let name): return "$" + name
        case .list(let elements): return "{" + Self.text(elements, .sum, ", ") + "}"
        case .and(let operands):
            return operands.isEmpty ? "TRUEPREDICATE" : Self.text(operands, .negation, " AND ")
        case .or(let operands):
            return operands.isEmpty ? "FALSEPREDICATE" : Self.text(operands, .conjunction, " OR ")
        case .not(let operand): return "NOT " + operand.text(.negation)
        case .comparison(let left, let relation, let right, let options):
            let operation = relation.rawValue + options.expressionText
            return Self.text([left, right], .sum, " " + operation + " ")
        case .between(let operand, let lower, let upper):
            let start = operand.text(.sum) + " BETWEEN "
            if case .parameter(let name) = lower, case .parameter(name) = upper {
                return start + "$" + name
            }
            return start + "{" + Self.text([lower, upper], .sum, ", ") + "}"
        case .quantified(let quantifier, let comparison):
            return quantifier.rawValue + " " + comparison.text(.comparison)
        case .arithmetic(let left, let operation, let right):
            let level = operation.level
            return left.text(level) + " " + operation.rawValue + " " + right.text(level.next)
        case .function(let function, let operands):
            return function.descriptor.text(of: operands.map { $0.text(.disjunction) })
        case .aggregate(let function, let operand):
            switch operand {
            case .keyPath, .subquery: return operand.bare + "." + function.rawValue
            default: return function.name + "(" + operand.bare + ")"
            }
        case .subquery(let path, let variable, let condition):
            let collection = path.text(.sum)
            return "SUBQUERY(" + collection + ", $" + variable + ", " + condition.bare + ")"
        case .conditional(let condition, let first, let second):
            return "TERNARY(" + Self.text([condition, first, second], .disjunction, ", ") + ")"
        }
    }

    private static func text(
        _ operands: [ModelExpression], _ least: Level, _ separator: String
    ) -> String {
        operands.map { $0.text(least) }.joined(separator: separator)
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
}

extension ArithmeticOperator {
    var level: ModelExpression.Level {
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
