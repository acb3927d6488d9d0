import CambiumModel

extension ExpressionSQL {
    mutating func text(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression,
        _ options: ComparisonOptions, _ use: Use
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let one = try value(left)
        let other = try value(right)
        if relation == .equal {
            let bits = SQLFragment(raw: String(options.rawValue))
            let first = Self.call(.fold, "\(one), \(bits)")
            return "\(first) IS \(Self.call(.fold, "\(other), \(bits)"))"
        }
        let test =
            builtIn(left, relation, right, options, one, other)
            ?? Self.call(
                .text,
                "\(one), '\(raw: relation.rawValue)', \(other), \(raw: String(options.rawValue))")
        let isNullable = isNullable(left) || isNullable(right)
        return use == .filter || !isNullable ? test : "coalesce(\(test), 0)"
    }

    /// The test by SQLite's own functions, or nil where those differ. Its LIKE and lower() know
    /// ASCII only; GLOB compares characters as they are.
    private func builtIn(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression,
        _ options: ComparisonOptions, _ one: SQLFragment, _ other: SQLFragment
    ) -> SQLFragment? {
        guard options.isEmpty else { return nil }
        // SQLite's instr() alone reads texts to their end.
        if relation == .contains {
            guard left.isLeaf, right.isLeaf else { return nil }
            return "instr(\(one), \(other)) > 0"
        }
        let (one, other) = (wholeText(one, of: left), wholeText(other, of: right))
        if let pattern = globPattern(relation, right) {
            return "\(one) GLOB \(constant(.text(pattern)))"
        }
        // Operands are written twice below, which must not double a tree at each level.
        guard left.isLeaf, right.isLeaf else { return nil }
        if relation == .matches, case .literal(.string(let text), _) = right,
            one.parameters.isEmpty, let pattern = GlobPattern(regularExpression: text)
        {
            return one.replacingText(with: pattern.condition(on: one.text))
        }
        switch relation {
        case .beginsWith: return "substr(\(one), 1, length(\(other))) = \(other)"
        case .endsWith:
            return "substr(\(one), max(1, length(\(one)) - length(\(other)) + 1)) = \(other)"
        default: return nil
        }
    }

    /// The GLOB pattern of a constant LIKE or BEGINSWITH; nil for patterns beyond SQLite's limit.
    private func globPattern(
        _ relation: ComparisonOperator, _ right: TypedExpression
    ) -> String? {
        guard case .literal(.string(let text), _) = right, text.utf8.count < 5000 else {
            return nil
        }
        switch relation {
        case .like: return Self.glob(WildcardPattern(text).elements)
        case .beginsWith:
            let letters = text.unicodeScalars.map { WildcardPattern.Element.scalar($0) }
            return Self.glob(letters + [.anything])
        default: return nil
        }
    }

    private static func glob(_ elements: [WildcardPattern.Element]) -> String {
        var pattern = ""
        for element in elements {
            switch element {
            case .anything: pattern += "*"
            case .one: pattern += "?"
            case .scalar(let scalar) where "*?[".unicodeScalars.contains(scalar):
                pattern += "[\(scalar)]"
            case .scalar(let scalar): pattern.unicodeScalars.append(scalar)
            }
        }
        return pattern
    }
}
