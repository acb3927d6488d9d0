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
            return dialect.areSame(
                dialect.call(.fold, "\(one), \(bits)"), dialect.call(.fold, "\(other), \(bits)"))
        }
        let test =
            builtIn(left, relation, right, options, one, other)
            ?? dialect.call(
                .text,
                "\(one), '\(raw: relation.rawValue)', \(other), \(raw: String(options.rawValue))")
        let isNullable = isNullable(left) || isNullable(right)
        return use == .filter || !isNullable ? test : dialect.truth(test)
    }

    /// The test by the engine's own functions, or nil where those differ.
    private func builtIn(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression,
        _ options: ComparisonOptions, _ one: SQLFragment, _ other: SQLFragment
    ) -> SQLFragment? {
        guard options.isEmpty else { return nil }
        // Operands may be written twice, which must not double a tree at each level.
        let areLeaves = left.isLeaf && right.isLeaf
        if relation == .contains { return areLeaves ? dialect.contains(one, other) : nil }
        let (one, other) = (wholeText(one, of: left), wholeText(other, of: right))
        if let pattern = pattern(relation, right) {
            return dialect.isLike(one, constant(.text(pattern)))
        }
        guard areLeaves else { return nil }
        switch relation {
        case .matches:
            guard case .literal(.string(let text), _) = right else { return nil }
            return dialect.matches(one, text)
        case .beginsWith: return dialect.begins(one, with: other)
        case .endsWith: return dialect.ends(one, with: other)
        default: return nil
        }
    }

    /// The pattern of a constant LIKE or BEGINSWITH.
    private func pattern(_ relation: ComparisonOperator, _ right: TypedExpression) -> String? {
        guard case .literal(.string(let text), _) = right else { return nil }
        switch relation {
        case .like: return dialect.pattern(WildcardPattern(text).elements)
        case .beginsWith:
            let letters = text.unicodeScalars.map { WildcardPattern.Element.scalar($0) }
            return dialect.pattern(letters + [.anything])
        default: return nil
        }
    }
}
