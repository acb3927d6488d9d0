extension ExpressionChecker {
    /// Gives two operands compatible types. A constant takes the type of the other side. An exact
    /// number beside a floating-point one becomes floating-point.
    func unify(_ left: Checked, _ right: Checked) -> (Checked, Checked)? {
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
                return unknownType(name, at: side.offset)
            }
        }
        let type = other.type
        if let common = one.type.met(by: type) { one = one.converted(to: common) }
        if let common = type.met(by: one.type) { other = other.converted(to: common) }
        return (one.settled, other.settled)
    }

    // MARK: Arithmetic

    func arithmetic(
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
    private func unifyForArithmetic(
        _ left: Checked, _ operation: ArithmeticOperator, _ right: Checked
    ) -> (Checked, Checked)? {
        // A duration is multiplied by an integer.
        if operation == .multiply || operation == .divide {
            if left.type == .duration, right.isFlexibleNumber {
                return pair(left, settle(right, as: .integer))
            }
            if right.type == .duration, left.isFlexibleNumber {
                return pair(settle(left, as: .integer), right)
            }
        }
        if left.type == .date, right.isFlexibleNumber {
            return pair(left, settle(right, as: .double))
        }
        if right.type == .date, left.isFlexibleNumber {
            return pair(settle(left, as: .double), right)
        }
        if wantsExact {
            if isFraction(left), right.type == .integer {
                return pair(settle(left, as: .decimal(scale: 0)), right)
            }
            if isFraction(right), left.type == .integer {
                return pair(left, settle(right, as: .decimal(scale: 0)))
            }
        }
        return unify(left, right)
    }

    private func pair(_ one: Checked?, _ other: Checked?) -> (Checked, Checked)? {
        guard let one, let other else { return nil }
        return (one, other)
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
            guard isSum, let seconds = right.seconds else { return nil }
            return .arithmetic(left, operation, seconds, .date)
        case .duration: return durationArithmetic(left, operation, right, isSum: isSum)
        case let one where other == .date:
            guard one.isNumber, operation == .add, let seconds = left.floating else { return nil }
            return .arithmetic(seconds, .add, right, .date)
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
        guard let one = left.floating, let other = right.floating else { return nil }
        return .arithmetic(one, operation, other, .double)
    }

    // MARK: Functions

    func function(
        _ function: ModelFunction, _ operands: [ParsedExpression], at offset: Int
    ) -> Checked? {
        let descriptor = function.descriptor
        let checked = operands.enumerated().map { index, operand in
            check(operand).flatMap { settle($0, for: descriptor, index) }
        }
        let right = checked.compactMap { $0 }
        guard right.count == operands.count else { return nil }
        guard isAllowed(function, right.first?.typed.type, at: offset) else { return nil }
        guard right.count == descriptor.arguments.count else {
            return fail("'\(function.rawValue)' has the wrong number of operands", at: offset)
        }
        if let unknown = right.first(where: { $0.typed.type == .null && !$0.typed.isNull }) {
            return fail(
                "the type of this parameter is unknown", at: unknown.offset, lacksType: true)
        }
        guard let typed = descriptor.typed(right.map({ $0.typed })) else {
            let types = right.map { $0.typed.type.description }.joined(separator: " and ")
            return fail("'\(function.rawValue)' does not apply to \(types)", at: offset)
        }
        return Checked(
            source: .function(function, right.map { $0.source }), typed: typed, offset: offset)
    }

    /// Gives a parameter the type that a function wants, and a constant as it stands.
    private func settle(
        _ operand: Checked, for function: FunctionDescriptor, _ index: Int
    ) -> Checked? {
        guard case .parameter = operand.flexible, index < function.parameterTypes.count,
            let type = function.parameterTypes[index]
        else { return operand }
        return settle(operand, as: type)
    }
}

extension ExpressionChecker.Checked {
    /// Whether the operand is a number without a certain type, or can be one.
    fileprivate var isFlexibleNumber: Bool {
        if case .parameter = flexible { return true }
        return flexible != nil && typed.type.isNumber
    }
}

extension ExpressionType {
    /// The type that an exact number of this type takes beside a number of another type; nil if it
    /// keeps its own.
    fileprivate func met(by other: ExpressionType) -> ExpressionType? {
        switch self {
        case .decimal where other.isFloatingPoint, .anyDecimal where other.isFloatingPoint: .double
        case .integer, .decimal: other == .anyDecimal ? .anyDecimal : nil
        default: nil
        }
    }
}

extension TypedExpression {
    /// The expression in a form that can be added to a date: a number, or a duration as its
    /// seconds.
    fileprivate var seconds: TypedExpression? {
        type == .duration ? .convert(self, .double) : floating
    }
}

/// An operand that takes its type from the other operand. It is indirect to keep the checker's
/// frames small: its recursion has to fit small stacks.
indirect enum FlexibleOperand {
    case number(String)
    case value(Value)
    case parameter(String)
}

extension ExpressionChecker {
    /// A constant with the type that it has by itself.
    func flexible(_ operand: FlexibleOperand, at offset: Int) -> Checked? {
        let value: Value
        switch operand {
        case .number(let digits):
            guard
                let number = NumberText.integer(digits).map({ Value.int($0) })
                    ?? NumberText.double(digits).map({ .double($0) })
                    ?? NumberText.bytes(digits).map({ .data($0) })
            else { return fail("'\(digits)' is not a number", at: offset) }
            value = number
        case .value(let given): value = given
        case .parameter(let name):
            return unknownType(name, at: offset)
        }
        guard var type = value.naturalType else {
            return fail("NaN is not a value", at: offset)
        }
        // A number beyond 64 bits would be nil beside a value that fits, but it is a number alone.
        if type.scale != nil, type.stored(value) == nil { type = .anyDecimal }
        return Checked(
            source: .literal(value), typed: .literal(value, type), offset: offset,
            flexible: operand)
    }

    /// Gives a flexible operand the type of the other operand. Leaves other operands as they are.
    func settle(
        _ operand: Checked, as type: ExpressionType, of other: TypedExpression? = nil
    ) -> Checked? {
        guard let flexible = operand.flexible, type != .null else { return operand }
        if case .parameter(let name) = flexible {
            note(name, type, of: other, isList: false, at: operand.offset)
            return operand.settled(operand.source, .parameter(name, type))
        }
        if case .value(.null) = flexible {
            return operand.settled(operand.source, .literal(.null, type))
        }
        guard let (value, ownType) = constant(flexible, as: type) else {
            return fail(mismatch(operand, type), at: operand.offset, hint: hint(operand, type))
        }
        return operand.settled(.literal(value), .literal(value, ownType))
    }

    private func mismatch(_ operand: Checked, _ type: ExpressionType) -> String {
        if case .literal(.string(let text), _) = operand.typed {
            switch type {
            case .enumeration(let name): return "\(name) has no case '\(text)'"
            case _ where type == .date || AttributeType(type)?.descriptor.isSpelled == true:
                return "'\(text)' is not \(type.description)"
            default: break
            }
        }
        return operand.type.mismatch(with: type)
    }

    private func hint(_ operand: Checked, _ type: ExpressionType) -> String? {
        switch type {
        case .enumeration(let name):
            guard let enumeration = model.enumeration(named: name) else { return nil }
            let names = enumeration.cases.map { $0.name }
            if case .literal(.string(let text), _) = operand.typed,
                let nearest = nearestName(to: text, among: names)
            {
                return "did you mean '\(nearest)'?"
            }
            return names.isEmpty ? nil : "its cases are \(names.joined(separator: ", "))"
        case .date: return "write '2001-12-31T23:59:59Z' or seconds since 2001-01-01 UTC"
        case .duration: return "write 'PT1H30M' or seconds, to the nanosecond"
        case .decimal: return "at most \(DecimalStorage.maximumScale) places are exact"
        case .anyDecimal: return "at most 38 digits are exact"
        case .codable: return "it can only be compared with nil"
        case .data: return "write its bytes as 0x and hexadecimal digits"
        default: return nil
        }
    }

    private func constant(
        _ operand: FlexibleOperand, as type: ExpressionType
    ) -> (Value, ExpressionType)? {
        switch operand {
        case .number(let digits):
            if case .object = type { return nil }  // a key is not a number that a person writes
            return constant(digits: digits, as: type)
        case .value(let value):
            return model.constant(value, as: type)
        case .parameter:
            return nil
        }
    }

    private func constant(
        digits: String, as type: ExpressionType
    ) -> (Value, ExpressionType)? {
        let integer = NumberText.integer(digits)
        switch type {
        case .data:
            return NumberText.bytes(digits).map { (.data($0), .data) }
        case _ where type.isExact:
            guard let decimal = NumberText.decimal(digits) else { return nil }
            guard type == .anyDecimal || decimal.places <= DecimalStorage.maximumScale else {
                return nil
            }
            return model.constant(.decimal(decimal), as: type)
        case .integer, .bool, .enumeration:
            if let integer { return model.constant(.int(integer), as: type) }
            return NumberText.double(digits).flatMap { model.constant(.double($0), as: type) }
        default:
            return NumberText.double(digits).flatMap { model.constant(.double($0), as: type) }
        }
    }
}

/// A value that can be compared only with nil. It is a composite value, or a value that may be in a
/// file beside the store. It is a class to keep the checker's frames small.
final class OpaqueOperand {
    /// The name of the attribute.
    let name: String
    /// Whether the row may contain the name of a file instead of the value.
    let isExternal: Bool
    /// The paths to the parts as they are written in the text, for hints.
    let parts: [String]
    let typed: [TypedExpression]

    init(name: String, isExternal: Bool = false, parts: [String], typed: [TypedExpression]) {
        self.name = name
        self.isExternal = isExternal
        self.parts = parts
        self.typed = typed
    }

    var mistake: String {
        isExternal
            ? "'\(name)' may be stored in a file beside the store, so it can only be compared with nil"
            : "'\(name)' has several parts and is not a single value"
    }

    var hint: String {
        if isExternal {
            return "store what the condition needs, such as its length, in an attribute"
        }
        guard let first = parts.first else { return "it can only be compared with nil" }
        let names = parts.prefix(8).joined(separator: ", ") + (parts.count > 8 ? ", …" : "")
        return "name one of \(names)" + (parts.count > 1 ? "" : " (such as \(first))")
            + ", or compare it with nil"
    }
}

extension ExpressionChecker {
    /// `composite == nil`: all of its parts are nil.
    func relateOpaque(
        _ left: Checked, _ relation: ComparisonOperator, _ right: Checked, at offset: Int
    ) -> Checked? {
        guard let opaque = left.opaque ?? right.opaque else { return nil }
        let other = left.opaque == nil ? left : right
        guard other.opaque == nil, other.typed.isNull,
            relation == .equal || relation == .notEqual
        else {
            let place = left.opaque == nil ? right.offset : left.offset
            return fail(opaque.mistake, at: place, hint: opaque.hint)
        }
        let isNil = TypedExpression.and(
            opaque.typed.map { .comparison($0, .equal, .literal(.null, $0.type)) })
        return Checked(
            source: .comparison(left.source, relation, right.source, []),
            typed: relation == .equal ? isNil : .not(isNil), offset: offset)
    }

    /// A path that ends at a composite attribute.
    func composite(
        _ attribute: CompositeAttribute, of path: ObjectPath, named text: String,
        source: ModelExpression, at offset: Int
    ) -> Checked {
        let parts = model.attributes(of: path.entity).filter { attribute.contains($0) }
        let typed = parts.compactMap { part in
            model.declarer(of: part.name, in: path.entity).map {
                TypedExpression.attribute(path, part, declarer: $0)
            }
        }
        let prefix = text.dropLast(attribute.name.count)
        return Checked(
            source: source, typed: .literal(.null, .null), offset: offset,
            opaque: OpaqueOperand(
                name: attribute.name, parts: parts.map { prefix + $0.name }, typed: typed))
    }
}
