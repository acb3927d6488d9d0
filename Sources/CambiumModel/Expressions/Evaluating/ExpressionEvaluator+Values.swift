extension ExpressionEvaluator {
    func value(_ expression: TypedExpression, _ frame: Frame) throws -> Value {
        switch expression {
        case .literal(let value, _):
            return value
        case .parameter:
            return .null  // the checker has put values in their place
        case .attribute(let path, let attribute, _):
            return object(path, frame)?.value(ofAttribute: attribute.name).normalized ?? .null
        case .object(let path):
            return object(path, frame).map { .int($0.expressionKey) } ?? .null
        case .and, .or, .not, .comparison, .among, .amongList, .text, .exists:
            return .bool(try isTrue(expression, frame))
        case .aggregate(let function, let collection, let operand):
            let values = try values(of: operand, in: collection, frame)
            return aggregate(function, values, operand.type)
        case .arithmetic(let left, let operation, let right, let type):
            return try arithmetic(
                value(left, frame), left.type, operation, value(right, frame), right.type, type)
        case .convert(let operand, let type):
            return try convert(value(operand, frame), from: operand.type, to: type)
        case .function(let function, let operands, let type):
            return try self.function(function, operands, type, frame)
        case .conditional(let condition, let first, let second):
            return try value(isTrue(condition, frame) ? first : second, frame)
        }
    }

    // MARK: Exact numbers

    /// An exact number in units of its type's scale.
    private func units(_ value: Value, _ type: ExpressionType) -> Int64? {
        switch value {
        case .int(let value): value
        case .decimal(let value): DecimalStorage.units(of: value, scale: type.scale ?? 0)
        default: nil
        }
    }

    private func exact(_ units: Int64?, _ type: ExpressionType) -> Value {
        guard let units else { return .null }
        guard case .decimal(let scale) = type else { return .int(units) }
        return .decimal(DecimalStorage.decimal(ofUnits: units, scale: scale))
    }

    private func convert(_ value: Value, from source: ExpressionType, to target: ExpressionType)
        -> Value
    {
        switch value {
        case .double(let seconds) where target == .date:
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .double: return value
        case .date(let date): return .double(date.timeIntervalSinceReferenceDate)
        case .int(let number) where target == .anyDecimal: return .decimal(Decimal(number))
        case .decimal where target == .anyDecimal: return value
        case .decimal(let decimal) where source == .anyDecimal:
            return .double(DecimalFunctions.double(decimal))
        default: break
        }
        guard let units = units(value, source), let scale = source.scale else { return .null }
        if let wanted = target.scale {
            return exact(NumberFunctions.rescaled(units, by: wanted - scale), target)
        }
        return .double(NumberFunctions.double(units: units, scale: scale))
    }

    // MARK: Arithmetic

    private func arithmetic(
        _ left: Value, _ leftType: ExpressionType, _ operation: ArithmeticOperator,
        _ right: Value, _ rightType: ExpressionType, _ type: ExpressionType
    ) -> Value {
        if case .string(let one) = left, case .string(let other) = right {
            return .string(one + other)
        }
        if type == .anyDecimal {
            guard case .decimal(let one) = left, case .decimal(let other) = right else {
                return .null
            }
            return DecimalFunctions.calculate(one, operation, other).map { .decimal($0) } ?? .null
        }
        if let scale = type.scale {
            guard var one = units(left, leftType), var other = units(right, rightType) else {
                return .null
            }
            if operation != .multiply, operation != .divide {
                guard
                    let first = NumberFunctions.rescaled(one, by: scale - (leftType.scale ?? 0)),
                    let second = NumberFunctions.rescaled(
                        other, by: scale - (rightType.scale ?? 0))
                else { return .null }
                (one, other) = (first, second)
            }
            return exact(NumberFunctions.integer(one, operation, other), type)
        }
        guard let one = seconds(left), let other = seconds(right),
            let result = NumberFunctions.double(one, operation, other)
        else { return .null }
        return type == .date
            ? .date(Date(timeIntervalSinceReferenceDate: result)) : .double(result)
    }

    private func seconds(_ value: Value) -> Double? {
        switch value {
        case .double(let value): value
        case .date(let value): value.timeIntervalSinceReferenceDate
        default: nil
        }
    }

    // MARK: Functions

    private func function(
        _ function: ModelFunction, _ operands: [TypedExpression], _ type: ExpressionType,
        _ frame: Frame
    ) throws -> Value {
        guard let operand = operands.first else {
            return function == .uuid ? .uuid(UUID()) : .date(frame.now)
        }
        if function == .entity, case .object(let path) = operand {
            return object(path, frame).map { .string($0.expressionEntity) } ?? .null
        }
        let first = try value(operand, frame)
        switch (function, first) {
        case (.length, .string(let text)): return .int(Int64(text.unicodeScalars.count))
        case (.length, .data(let data)): return .int(Int64(data.count))
        case (.uppercase, .string(let text)): return .string(text.uppercased())
        case (.lowercase, .string(let text)): return .string(text.lowercased())
        case (.canonical, .string(let text)):
            return .string(text.folded([.caseInsensitive, .diacriticInsensitive]))
        case (.abs, .int(let value)): return value == .min ? .null : .int(abs(value))
        case (.abs, .double(let value)): return .double(abs(value))
        case (.abs, .decimal(let value)) where operand.type == .anyDecimal:
            return .decimal(abs(value))
        case (.abs, .decimal):
            guard let units = units(first, operand.type), units != .min else { return .null }
            return exact(abs(units), operand.type)
        case (.ceiling, .double(let value)): return .double(value.rounded(.up))
        case (.floor, .double(let value)): return .double(value.rounded(.down))
        case (.trunc, .double(let value)): return .double(value.rounded(.towardZero))
        case (.sqrt, .double(let value)):
            return value < 0 ? .null : .double(value.squareRoot())
        case (.modulus, .int(let value)):
            guard case .int(let divisor) = try self.value(operands[1], frame) else { return .null }
            return NumberFunctions.modulus(value, divisor).map { .int($0) } ?? .null
        case (.string, .string(let text)):
            return NumberText.double(text).map { .double($0) } ?? .null
        case (.string, .int(let value)): return .string(String(value))
        case (.string, .double(let value)): return .string(value.description)
        case (.string, .decimal(let value)) where operand.type == .anyDecimal:
            return .string(value.description)
        case (.string, .decimal):
            guard let units = units(first, operand.type), let scale = operand.type.scale else {
                return .null
            }
            return .string(DecimalStorage.decimal(ofUnits: units, scale: scale).description)
        default: return .null
        }
    }

    // MARK: Aggregates

    func aggregate(
        _ function: AggregateFunction, _ values: [Value], _ type: ExpressionType
    ) -> Value {
        switch function {
        case .count: return .int(Int64(values.count))
        case .minimum: return extreme(values, .less)
        case .maximum: return extreme(values, .greater)
        case .sum, .average: break
        }
        let isAverage = function == .average
        if isAverage, values.isEmpty { return .null }
        if type == .anyDecimal {
            let decimals = values.compactMap {
                if case .decimal(let value) = $0 { value } else { nil }
            }
            let result =
                isAverage
                ? DecimalFunctions.average(decimals) : DecimalFunctions.sum(decimals)
            return result.map { .decimal($0) } ?? .null
        }
        guard let scale = type.scale else {
            let sum = values.reduce(0.0) { $0 + (seconds($1) ?? 0) }
            let result = isAverage ? sum / Double(values.count) : sum
            return result.isNaN ? .null : .double(result)
        }
        var sum = NumberFunctions.IntegerSum()
        for value in values {
            guard let units = units(value, type) else { return .null }
            sum.add(units)
        }
        guard let total = sum.value else { return .null }
        guard isAverage else { return exact(total, type) }
        let mean = Double(total) / Double(values.count)
        return .double(mean / Double(NumberFunctions.powerOfTen(scale)))
    }

    private func extreme(_ values: [Value], _ wanted: Value.Order) -> Value {
        var best = Value.null
        for value in values where best == .null || Value.order(value, best) == wanted {
            best = value
        }
        return best
    }
}
