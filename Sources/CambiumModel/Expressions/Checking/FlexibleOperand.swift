/// An operand whose type is up to what it meets. It is indirect to keep the checker's frames small:
/// its recursion has to fit small stacks.
indirect enum FlexibleOperand {
    case number(String)
    case value(Value)
    case parameter(String)
}

extension ExpressionChecker {
    /// A constant with the type that it has when it meets nothing.
    mutating func flexible(_ operand: FlexibleOperand, at offset: Int) -> Checked? {
        let value: Value
        switch operand {
        case .number(let digits):
            guard
                let number = NumberText.integer(digits).map({ Value.int($0) })
                    ?? NumberText.double(digits).map({ .double($0) })
                    ?? NumberText.bytes(digits).map({ .data($0) })
            else { return fail("'\(digits)' is no number", at: offset) }
            value = number
        case .value(let given): value = given
        case .parameter(let name):
            return untold(name, at: offset)
        }
        guard let type = value.naturalType else {
            return fail("NaN is no value", at: offset)
        }
        return Checked(
            source: .literal(value), typed: .literal(value, type), offset: offset,
            flexible: operand)
    }

    /// Gives a flexible operand the type of what it meets; leaves others as they are.
    mutating func settle(
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
            let names = enumeration.cases.map(\.name)
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
            if case .object = type { return nil }  // a key is no number that a person writes
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
