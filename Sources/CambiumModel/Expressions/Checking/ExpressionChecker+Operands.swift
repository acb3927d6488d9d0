extension ExpressionChecker {
    /// Gives two operands types that meet: a constant takes the type of the other side, and exact
    /// and floating-point numbers become floating-point.
    mutating func unify(_ left: Checked, _ right: Checked) -> (Checked, Checked)? {
        var one = left
        var other = right
        if let flexible = left.flexible {
            var isSettled = right.flexible == nil
            if case .parameter = flexible { isSettled = true }
            if isSettled {
                guard let settled = settle(left, as: right.type, of: right.typed) else {
                    return nil
                }
                one = settled
            } else if case .parameter = right.flexible {
                guard let settled = settle(right, as: left.type, of: left.typed) else {
                    return nil
                }
                other = settled
            }
        } else if right.flexible != nil {
            guard let settled = settle(right, as: left.type, of: left.typed) else { return nil }
            other = settled
        }
        for side in [one, other] {
            if case .parameter(let name, .null) = side.typed {
                return untold(name, at: side.offset)
            }
        }
        let type = other.type
        if let common = one.type.met(by: type) { one = one.converted(to: common) }
        if let common = type.met(by: one.type) { other = other.converted(to: common) }
        return (one.settled, other.settled)
    }

    // MARK: Arithmetic

    mutating func arithmetic(
        _ left: ParsedExpression, _ operation: ArithmeticOperator, _ right: ParsedExpression,
        at offset: Int
    ) -> Checked? {
        let first = check(left)
        let second = check(right)
        guard let first, let second else { return nil }
        guard let (one, other) = unifyForArithmetic(first, operation, second) else { return nil }
        let isExact = one.type == .anyDecimal || other.type == .anyDecimal
        guard purpose != .index || !(isExact || operation == .power) else {
            return fail(
                "SQLite cannot compute this by itself, so an index cannot use it", at: offset,
                hint: "make a derived attribute of it and index that")
        }
        guard let typed = typedArithmetic(one.typed, operation, other.typed) else {
            return fail(
                "'\(operation.rawValue)' does not apply to \(one.type.description) and "
                    + other.type.description, at: offset)
        }
        return Checked(
            source: .arithmetic(one.source, operation, other.source), typed: typed, offset: offset)
    }

    /// Seconds that are added to a date stay seconds.
    private mutating func unifyForArithmetic(
        _ left: Checked, _ operation: ArithmeticOperator, _ right: Checked
    ) -> (Checked, Checked)? {
        // A duration is multiplied by an integer.
        if operation == .multiply || operation == .divide {
            if left.type == .duration, right.isFlexibleNumber {
                return settle(right, as: .integer).map { (left, $0) }
            }
            if right.type == .duration, left.isFlexibleNumber {
                return settle(left, as: .integer).map { ($0, right) }
            }
        }
        if left.type == .date, right.isFlexibleNumber {
            guard let seconds = settle(right, as: .double) else { return nil }
            return (left, seconds)
        }
        if right.type == .date, left.isFlexibleNumber {
            guard let seconds = settle(left, as: .double) else { return nil }
            return (seconds, right)
        }
        if wantsExact {
            if isFraction(left), right.type == .integer {
                return settle(left, as: .decimal(scale: 0)).map { ($0, right) }
            }
            if isFraction(right), left.type == .integer {
                return settle(right, as: .decimal(scale: 0)).map { (left, $0) }
            }
        }
        return unify(left, right)
    }

    /// Whether an operand is a number that is written with places.
    private func isFraction(_ operand: Checked) -> Bool {
        guard case .number(let digits) = operand.flexible else { return false }
        return NumberText.integer(digits) == nil && NumberText.decimal(digits) != nil
    }

    private func typedArithmetic(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression
    ) -> TypedExpression? {
        let isSum = operation == .add || operation == .subtract
        let other = right.type
        switch left.type {
        case .string:
            guard other == .string, operation == .add else { return nil }
            return .arithmetic(left, .add, right, .string)
        case .date:
            if other == .date, operation == .subtract {
                return .arithmetic(left, .subtract, right, .double)
            }
            guard isSum else { return nil }
            return right.seconds.map { .arithmetic(left, operation, $0, .date) }
        case .duration: return durationArithmetic(left, operation, right, isSum: isSum)
        case let one where other == .date:
            guard one.isNumber, operation == .add else { return nil }
            return left.floating.map { .arithmetic($0, .add, right, .date) }
        case .integer where other == .duration:
            return operation == .multiply ? .arithmetic(left, operation, right, other) : nil
        case .integer where other == .integer:
            return operation == .power
                ? floatingArithmetic(left, .power, right)
                : .arithmetic(left, operation, right, .integer)
        case let one:
            guard one.isNumber, other.isNumber, operation != .bitwiseAnd, operation != .bitwiseOr
            else { return nil }
            if one == .anyDecimal, other == .anyDecimal, operation != .power {
                return .arithmetic(left, operation, right, .anyDecimal)
            }
            guard let first = one.scale, let second = other.scale,
                let scale = isSum
                    ? max(first, second) : operation == .multiply ? first + second : nil,
                isSum || scale <= DecimalStorage.maximumScale
            else { return floatingArithmetic(left, operation, right) }
            return .arithmetic(left, operation, right, .decimal(scale: scale))
        }
    }

    /// Arithmetic with a duration at the left.
    private func durationArithmetic(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression,
        isSum: Bool
    ) -> TypedExpression? {
        switch right.type {
        case .date:
            guard operation == .add else { return nil }
            return .arithmetic(.convert(left, .double), .add, right, .date)
        case .duration:
            if isSum { return .arithmetic(left, operation, right, .duration) }
            guard operation == .divide else { return nil }
            return .arithmetic(
                .convert(left, .double), .divide, .convert(right, .double), .double)
        case .integer where operation == .multiply || operation == .divide:
            return .arithmetic(left, operation, right, .duration)
        default: return nil
        }
    }

    private func floatingArithmetic(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression
    ) -> TypedExpression? {
        left.floating.flatMap { one in
            right.floating.map { .arithmetic(one, operation, $0, .double) }
        }
    }

    // MARK: Functions

    mutating func function(
        _ function: ModelFunction, _ operands: [ParsedExpression], at offset: Int
    ) -> Checked? {
        let descriptor = function.descriptor
        let checked = operands.enumerated().map { index, operand in
            check(operand).flatMap { settle($0, for: descriptor, index) }
        }
        let right = checked.compactMap(\.self)
        guard right.count == operands.count else { return nil }
        guard isAllowed(function, right.first?.typed.type, at: offset) else { return nil }
        guard right.count == descriptor.arguments.count else {
            return fail("'\(function.rawValue)' has the wrong number of operands", at: offset)
        }
        if let unknown = right.first(where: { $0.typed.type == .null && !$0.typed.isNull }) {
            return fail(
                "nothing tells the type of this parameter", at: unknown.offset, lacksType: true)
        }
        guard let typed = descriptor.typed(right.map(\.typed)) else {
            let types = right.map(\.typed.type.description).joined(separator: " and ")
            return fail("'\(function.rawValue)' does not apply to \(types)", at: offset)
        }
        return Checked(
            source: .function(function, right.map(\.source)), typed: typed, offset: offset)
    }

    /// Gives a parameter the type that a function wants, and a constant as it stands.
    private mutating func settle(
        _ operand: Checked, for function: FunctionDescriptor, _ index: Int
    ) -> Checked? {
        guard case .parameter = operand.flexible, index < function.parameterTypes.count,
            let type = function.parameterTypes[index]
        else { return operand }
        return settle(operand, as: type)
    }
}

extension ExpressionChecker.Checked {
    /// Whether it is a number, or can be one, of no certain type.
    fileprivate var isFlexibleNumber: Bool {
        if case .parameter = flexible { return true }
        return flexible != nil && typed.type.isNumber
    }
}

extension ExpressionType {
    /// What an exact number of this type becomes where it meets a number of another one; nil where it
    /// stays.
    fileprivate func met(by other: ExpressionType) -> ExpressionType? {
        switch self {
        case .decimal where other.isFloatingPoint, .anyDecimal where other.isFloatingPoint: .double
        case .integer, .decimal: other == .anyDecimal ? .anyDecimal : nil
        default: nil
        }
    }
}

extension TypedExpression {
    /// What can be added to a date: a number, or a duration as its seconds.
    fileprivate var seconds: TypedExpression? {
        type == .duration ? .convert(self, .double) : floating
    }
}
