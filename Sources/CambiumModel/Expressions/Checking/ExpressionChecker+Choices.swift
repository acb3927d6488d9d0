// What is chosen from two values by a condition.
extension ExpressionChecker {
    /// Checks a value of a type whose constants are written as those of another one: where it is
    /// chosen from several, each of them is such a constant.
    mutating func choice(_ parsed: ParsedExpression, as type: ExpressionType) -> Checked? {
        guard case .conditional(let condition, let first, let second) = parsed.kind else {
            return check(parsed).flatMap { settle($0, as: type) }
        }
        return conditional(condition, first, second, at: parsed.offset, as: type)
    }

    /// Checks what is compared with a value: constants that it is chosen from are those of the value's
    /// type.
    mutating func operand(_ parsed: ParsedExpression, against other: Checked) -> Checked? {
        guard parsed.isChoiceOfConstants, other.opaque == nil,
            other.type.hasConstantsOfOthers
        else { return operand(parsed) }
        return choice(parsed, as: other.type)
    }

    /// Checks a comparison that has such a choice at its left.
    mutating func choice(
        _ left: ParsedExpression, _ relation: ComparisonOperator, _ right: ParsedExpression,
        _ options: ComparisonOptions, at offset: Int
    ) -> Checked? {
        let outer = capture
        capture = .forbidden
        defer { capture = outer }
        guard let other = operand(right), let one = operand(left, against: other) else {
            return nil
        }
        return relate(one, relation, other, options, at: offset)
    }

    /// The type that two numbers of different types have in common; nil where nothing changes.
    private func commonType(_ one: ExpressionType, _ other: ExpressionType) -> ExpressionType? {
        guard one != other, one.isNumber, other.isNumber else { return nil }
        guard let first = one.scale, let second = other.scale else { return .double }
        return .decimal(scale: max(first, second))
    }

    mutating func conditional(
        _ condition: ParsedExpression, _ first: ParsedExpression, _ second: ParsedExpression,
        at offset: Int, as type: ExpressionType? = nil
    ) -> Checked? {
        let test = self.condition(condition)
        let left = type.map { choice(first, as: $0) } ?? check(first)
        let right = type.map { choice(second, as: $0) } ?? check(second)
        guard let test, let left, let right, var (one, other) = unify(left, right) else {
            return nil
        }
        if let type = commonType(one.type, other.type) {
            one = one.converted(to: type)
            other = other.converted(to: type)
        }
        guard one.typed.isNull || other.typed.isNull || one.type == other.type else {
            return fail(
                "the two values of TERNARY are \(one.type.description) and "
                    + other.type.description, at: offset)
        }
        let isFirstNull = one.typed.isNull
        let typed: TypedExpression =
            isFirstNull
            ? .conditional(test.typed, .literal(.null, other.type), other.typed)
            : .conditional(test.typed, one.typed, other.typed)
        return Checked(
            source: .conditional(test.source, then: one.source, otherwise: other.source),
            typed: typed, offset: offset)
    }
}

extension ParsedExpression {
    /// Whether it is chosen by conditions from what is written out.
    var isChoiceOfConstants: Bool {
        guard case .conditional(_, let first, let second) = kind else { return false }
        return [first, second].allSatisfy { branch in
            if case .literal = branch.kind { return true }
            return branch.isChoiceOfConstants
        }
    }
}
