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
        case (let type, .anyDecimal) where type.scale != nil:
            one.typed = .convert(one.typed, .anyDecimal)
        case (.anyDecimal, let type) where type.scale != nil:
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
        guard let (one, other) = unifyForArithmetic(first, second) else { return nil }
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
        _ left: Checked, _ right: Checked
    ) -> (Checked, Checked)? {
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
        case (.date, let type) where isSum && type.isNumber:
            return .arithmetic(left, operation, floating(right), .date)
        case (let type, .date) where operation == .add && type.isNumber:
            return .arithmetic(floating(left), .add, right, .date)
        case (.integer, .integer):
            return operation == .power
                ? .arithmetic(floating(left), .power, floating(right), .double)
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
            return .arithmetic(floating(left), operation, floating(right), .double)
        default:
            return nil
        }
    }

    func floating(_ operand: TypedExpression) -> TypedExpression {
        operand.type.isFloatingPoint ? operand : .convert(operand, .double)
    }

    // MARK: Functions

    mutating func function(
        _ function: ModelFunction, _ operands: [ParsedExpression], at offset: Int
    ) -> Checked? {
        let checked = operands.map { check($0).flatMap { settle($0, for: function) } }
        let right = checked.compactMap(\.self)
        guard right.count == operands.count else { return nil }
        guard isAllowed(function, right.first?.typed.type, at: offset) else { return nil }
        guard right.count == function.operandCount else {
            return fail("'\(function.rawValue)' has the wrong number of operands", at: offset)
        }
        if let unknown = right.first(where: { $0.typed.type == .null && !$0.typed.isNull }) {
            return fail(
                "nothing tells the type of this parameter", at: unknown.offset, lacksType: true)
        }
        guard let typed = typedFunction(function, right.map(\.typed)) else {
            let types = right.map(\.typed.type.description).joined(separator: " and ")
            return fail("'\(function.rawValue)' does not apply to \(types)", at: offset)
        }
        return Checked(
            source: .function(function, right.map(\.source)), typed: typed, offset: offset)
    }

    /// Gives a parameter the type that a function wants, and a constant as it stands.
    private mutating func settle(_ operand: Checked, for function: ModelFunction) -> Checked? {
        guard case .parameter = operand.flexible else { return operand }
        switch function {
        case .length, .uppercase, .lowercase, .canonical: return settle(operand, as: .string)
        case .ceiling, .floor, .trunc, .sqrt: return settle(operand, as: .double)
        case .modulus: return settle(operand, as: .integer)
        case .now, .uuid, .abs, .string, .text, .number, .date, .entity: return operand
        }
    }

    private func typedFunction(
        _ function: ModelFunction, _ operands: [TypedExpression]
    ) -> TypedExpression? {
        guard let first = operands.first else {
            return .function(function, [], function == .uuid ? .uuid : .date)
        }
        let type = first.type
        switch function {
        case .now, .uuid:
            return nil
        case .length:
            return type == .string || type == .data ? .function(function, operands, .integer) : nil
        case .uppercase, .lowercase, .canonical:
            return type == .string ? .function(function, operands, .string) : nil
        case .abs:
            return type.isNumber ? .function(function, operands, type) : nil
        case .ceiling, .floor, .trunc:
            if type == .integer { return first }
            return type.isNumber ? .function(function, [floating(first)], .double) : nil
        case .entity:
            if case .object = type { return .function(function, operands, .string) }
            return nil
        case .sqrt:
            return type.isNumber ? .function(function, [floating(first)], .double) : nil
        case .modulus:
            return operands.allSatisfy { $0.type == .integer }
                ? .function(function, operands, .integer) : nil
        case .string:
            if type == .string { return .function(function, operands, .double) }
            return type.isNumber ? .function(function, operands, .string) : nil
        case .text:
            if type == .string { return first }
            return type.isNumber ? .function(.string, operands, .string) : nil
        case .number:
            if type == .string { return .function(.string, operands, .double) }
            if type == .date { return .convert(first, .double) }
            return type.isNumber ? first : nil
        case .date:
            if type == .date { return first }
            return type.isNumber ? .convert(floating(first), .date) : nil
        }
    }
}

extension ModelFunction {
    /// How many operands it takes.
    fileprivate var operandCount: Int {
        switch self {
        case .now, .uuid: 0
        case .modulus: 2
        default: 1
        }
    }
}

extension ExpressionChecker.Checked {
    /// Whether it is a number, or can be one, of no certain type.
    fileprivate var isFlexibleNumber: Bool {
        if case .parameter = flexible { return true }
        return flexible != nil && typed.type.isNumber
    }
}
