extension ExpressionChecker {
    /// Gives two operands types that meet: a constant takes the type of the other side, and exact
    /// and floating-point numbers become floating-point.
    mutating func unify(_ left: Checked, _ right: Checked) -> (Checked, Checked)? {
        var (one, other) = (left, right)
        switch (left.flexible, right.flexible) {
        case (nil, nil): break
        case (.some, nil), (.parameter, .some):
            guard let settled = settle(left, as: right.typed.type, of: right.typed) else {
                return nil
            }
            one = settled
        case (nil, .some), (.some, .parameter):
            guard let settled = settle(right, as: left.typed.type, of: left.typed) else {
                return nil
            }
            other = settled
        case (.some, .some): break
        }
        for side in [one, other] {
            if case .parameter(let name, .null) = side.typed {
                return untold(name, at: side.offset)
            }
        }
        switch (one.typed.type, other.typed.type) {
        case (.decimal, let type) where type.isFloatingPoint,
            (.anyDecimal, let type) where type.isFloatingPoint:
            one.typed = .convert(one.typed, .double)
        case (let type, .decimal) where type.isFloatingPoint,
            (let type, .anyDecimal) where type.isFloatingPoint:
            other.typed = .convert(other.typed, .double)
        case (let type, .anyDecimal) where type.isNumber && type.scale != nil:
            one.typed = .convert(one.typed, .anyDecimal)
        case (.anyDecimal, let type) where type.isNumber && type.scale != nil:
            other.typed = .convert(other.typed, .anyDecimal)
        default: break
        }
        one.flexible = nil
        other.flexible = nil
        return (one, other)
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
        let isExact = one.typed.type == .anyDecimal || other.typed.type == .anyDecimal
        guard purpose != .index || !(isExact || operation == .power) else {
            return fail(
                "SQLite cannot compute this by itself, so an index cannot use it", at: offset,
                hint: "make a derived attribute of it and index that")
        }
        guard let typed = typedArithmetic(one.typed, operation, other.typed) else {
            return fail(
                "'\(operation.rawValue)' does not apply to \(one.typed.type.description) and "
                    + other.typed.type.description, at: offset)
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
            if left.typed.type == .duration, right.isFlexibleNumber {
                return settle(right, as: .integer).map { (left, $0) }
            }
            if right.typed.type == .duration, left.isFlexibleNumber {
                return settle(left, as: .integer).map { ($0, right) }
            }
        }
        if left.typed.type == .date, right.isFlexibleNumber {
            guard let seconds = settle(right, as: .double) else { return nil }
            return (left, seconds)
        }
        if right.typed.type == .date, left.isFlexibleNumber {
            guard let seconds = settle(left, as: .double) else { return nil }
            return (seconds, right)
        }
        if wantsExact {
            if isFraction(left), right.typed.type == .integer {
                return settle(left, as: .decimal(scale: 0)).map { ($0, right) }
            }
            if isFraction(right), left.typed.type == .integer {
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
        switch (left.type, right.type) {
        case (.string, .string) where operation == .add:
            return .arithmetic(left, .add, right, .string)
        case (.date, .date) where operation == .subtract:
            return .arithmetic(left, .subtract, right, .double)
        case (.date, .duration) where isSum:
            return .arithmetic(left, operation, .convert(right, .double), .date)
        case (.duration, .date) where operation == .add:
            return .arithmetic(.convert(left, .double), .add, right, .date)
        case (.date, _) where isSum:
            return right.floating.map { .arithmetic(left, operation, $0, .date) }
        case (_, .date) where operation == .add:
            return left.floating.map { .arithmetic($0, .add, right, .date) }
        case (.duration, .duration):
            if isSum { return .arithmetic(left, operation, right, .duration) }
            guard operation == .divide else { return nil }
            return .arithmetic(
                .convert(left, .double), .divide, .convert(right, .double), .double)
        case (.duration, .integer) where operation == .multiply || operation == .divide,
            (.integer, .duration) where operation == .multiply:
            return .arithmetic(left, operation, right, .duration)
        case (.integer, .integer):
            return operation == .power
                ? floatingArithmetic(left, .power, right)
                : .arithmetic(left, operation, right, .integer)
        case (let one, let other) where one.isNumber && other.isNumber:
            guard operation != .bitwiseAnd, operation != .bitwiseOr else { return nil }
            if one == .anyDecimal, other == .anyDecimal, operation != .power {
                return .arithmetic(left, operation, right, .anyDecimal)
            }
            if let first = one.scale, let second = other.scale {
                if isSum {
                    let type = ExpressionType.decimal(scale: max(first, second))
                    return .arithmetic(left, operation, right, type)
                }
                if operation == .multiply, first + second <= DecimalStorage.maximumScale {
                    let type = ExpressionType.decimal(scale: first + second)
                    return .arithmetic(left, operation, right, type)
                }
            }
            return floatingArithmetic(left, operation, right)
        default:
            return nil
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
