/// An object as an expression in memory sees it.
package protocol ExpressionSubject: AnyObject {
    /// The key that identifies an object within its hierarchy.
    var expressionKey: Int64 { get }

    /// The name of the object's own entity.
    var expressionEntity: String { get }

    /// The value of an attribute of the object's entity or an ancestor.
    func value(ofAttribute name: String) -> Value

    /// Returns the object of a to-one relationship.
    func related(_ toOne: String) -> (any ExpressionSubject)?

    /// Returns the objects of a to-many relationship.
    func relatedObjects(_ toMany: String) -> [any ExpressionSubject]
}

/// Evaluates an expression over objects in memory, with the same results as SQL over their rows.
///
/// It belongs to one isolation: compiled patterns are kept in it.
package final class ExpressionEvaluator {
    private let expression: TypedExpression
    var texts = TextRelation()

    /// The objects and the time of one evaluation.
    struct Frame {
        let subject: any ExpressionSubject
        let now: Date
        var elements: [Int: any ExpressionSubject] = [:]
    }

    /// Prepares a condition.
    ///
    /// - Parameter parameters: Values for `$name`.
    /// - Throws: ``ExpressionDiagnostics`` if the condition does not fit the entity, or a parameter
    ///   has no value.
    package convenience init(
        condition: ModelExpression, entity: Entity, model: Model,
        parameters: [String: Value] = [:]
    ) throws(ExpressionDiagnostics) {
        self.init(
            try ExpressionCompiler.typedCondition(
                condition, entity: entity, model: model, parameters: parameters))
    }

    /// Prepares an expression that computes a value of a type. If the type is nil, any type is
    /// allowed.
    ///
    /// - Throws: ``ExpressionDiagnostics`` if the expression does not fit the entity, or a
    ///   parameter has no value.
    package convenience init(
        value: ModelExpression, as type: AttributeType? = nil, entity: Entity, model: Model,
        parameters: [String: Value] = [:]
    ) throws(ExpressionDiagnostics) {
        self.init(
            try ExpressionCompiler.typedValue(
                value, as: type, entity: entity, model: model, parameters: parameters))
    }

    /// Prepares a checked expression.
    package init(_ expression: TypedExpression) {
        self.expression = expression
    }

    /// Returns whether an object meets the condition.
    ///
    /// - Throws: ``PatternLimitError`` if a pattern takes too many steps, as do the functions
    ///   below.
    package func isTrue(_ subject: some ExpressionSubject) throws -> Bool {
        try isTrue(expression, Frame(subject: subject, now: .now))
    }

    /// Returns whether an object meets the condition at a time.
    package func isTrue(_ subject: some ExpressionSubject, now: Date) throws -> Bool {
        try isTrue(expression, Frame(subject: subject, now: now))
    }

    /// The value for an object.
    package func evaluate(
        _ subject: some ExpressionSubject, now: Date = .now
    ) throws -> Value {
        try value(expression, Frame(subject: subject, now: now))
    }

    /// Aggregates the values of the expression for many objects. The values do not include nil.
    package func aggregate(_ function: AggregateFunction, _ values: [Value]) -> Value {
        aggregate(function, values, expression.type)
    }

    /// Returns the value for the objects of variables. The first variable is number 0.
    func evaluate(_ elements: [any ExpressionSubject], now: Date) throws -> Value? {
        guard let subject = elements.first else { return nil }
        var frame = Frame(subject: subject, now: now)
        for (index, element) in elements.enumerated() { frame.elements[index] = element }
        return try value(expression, frame)
    }

    // MARK: Conditions

    func isTrue(_ expression: TypedExpression, _ frame: Frame) throws -> Bool {
        switch expression {
        case .and(let operands):
            try operands.allSatisfy { try isTrue($0, frame) }
        case .or(let operands):
            try operands.contains { try isTrue($0, frame) }
        case .not(let operand):
            try !isTrue(operand, frame)
        case .comparison(let left, let relation, let right):
            try Value.isTrue(value(left, frame), relation, value(right, frame))
        case .among(let operand, let constants):
            try constants.contains(value(operand, frame))
        case .text(let left, let relation, let right, let options):
            try compareTexts(value(left, frame), relation, value(right, frame), options)
        case .amongList:
            false  // values have been put in place of the list's name
        case .exists(let collection):
            try contains(collection, frame)
        case .literal, .parameter, .attribute, .object, .aggregate, .arithmetic, .convert,
            .function, .conditional:
            try value(expression, frame) == .bool(true)
        }
    }

    private func compareTexts(
        _ left: Value, _ relation: ComparisonOperator, _ right: Value,
        _ options: ComparisonOptions
    ) throws -> Bool {
        guard case .string(let one) = left, case .string(let other) = right else {
            // Equality without case is equality: nil equals nil.
            return relation == .equal && left == .null && right == .null
        }
        return try texts.holds(one, relation, other, options)
    }

    // MARK: Objects

    func object(_ path: ObjectPath, _ frame: Frame) -> (any ExpressionSubject)? {
        var object: (any ExpressionSubject)? =
            switch path.root {
            case .subject: frame.subject
            case .variable(let variable): frame.elements[variable]
            }
        for step in path.steps {
            object = object?.related(step.relationship.name)
        }
        return object
    }

    /// The elements of a collection that meet its condition.
    private func contains(_ collection: TypedCollection, _ frame: Frame) throws -> Bool {
        guard let owner = object(collection.owner, frame) else { return false }
        return try owner.relatedObjects(collection.relationship.name).contains {
            try meets($0, collection, frame)
        }
    }

    private func meets(
        _ element: any ExpressionSubject, _ collection: TypedCollection, _ frame: Frame
    ) throws -> Bool {
        guard let condition = collection.condition else { return true }
        var inner = frame
        inner.elements[collection.variable] = element
        return try isTrue(condition, inner)
    }

    /// The values of an expression, without nil, for the elements of a collection.
    func values(
        of operand: TypedExpression, in collection: TypedCollection, _ frame: Frame
    ) throws -> [Value] {
        guard let owner = object(collection.owner, frame) else { return [] }
        return try owner.relatedObjects(collection.relationship.name).compactMap { element in
            guard try meets(element, collection, frame) else { return nil }
            var inner = frame
            inner.elements[collection.variable] = element
            let value = try value(operand, inner)
            return value == .null ? nil : value
        }
    }
}

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
        case .function(let function, let operands, _):
            return try self.function(function, operands, frame)
        case .conditional(let condition, let first, let second):
            return try value(isTrue(condition, frame) ? first : second, frame)
        }
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
        guard let units = source.units(of: value), let scale = source.scale else { return .null }
        if let wanted = target.scale {
            return target.value(ofUnits: NumberFunctions.rescaled(units, by: wanted - scale))
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
            guard var one = leftType.units(of: left), var other = rightType.units(of: right) else {
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
            return type.value(ofUnits: NumberFunctions.integer(one, operation, other))
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
        _ function: ModelFunction, _ operands: [TypedExpression], _ frame: Frame
    ) throws -> Value {
        guard let first = operands.first else {
            return function == .uuid ? .uuid(UUID()) : .date(frame.now)
        }
        if function == .entity, case .object(let path) = first {
            return object(path, frame).map { .string($0.expressionEntity) } ?? .null
        }
        var arguments = FunctionArguments(first: try value(first, frame), type: first.type)
        if operands.count > 1 { arguments.second = try value(operands[1], frame) }
        if operands.count > 2 { arguments.third = try value(operands[2], frame) }
        return function.descriptor.value(arguments)
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
            guard let units = type.units(of: value) else { return .null }
            sum.add(units)
        }
        guard let total = sum.value else { return .null }
        guard isAverage else { return type.value(ofUnits: total) }
        let mean = Double(total) / Double(values.count)
        return .double(mean / Double(DecimalStorage.powerOfTen(scale)))
    }

    private func extreme(_ values: [Value], _ wanted: Value.Order) -> Value {
        var best = Value.null
        for value in values where best == .null || Value.order(value, best) == wanted {
            best = value
        }
        return best
    }
}
