/// Evaluates an expression over objects in memory, with the same results as SQL over their rows.
///
/// It belongs to one isolation: compiled patterns are kept in it.
package final class ExpressionEvaluator {
    private let expression: TypedExpression
    var texts = TextRelation()

    /// What an evaluation is about.
    struct Frame {
        let subject: any ExpressionSubject
        let now: Date
        var elements: [Int: any ExpressionSubject] = [:]
    }

    /// Prepares a condition.
    ///
    /// - Parameter parameters: Values for `$name`.
    /// - Throws: ``ExpressionDiagnostics`` where the condition does not fit the entity, or a
    ///   parameter has no value.
    package convenience init(
        condition: ModelExpression, entity: Entity, model: Model,
        parameters: [String: Value] = [:]
    ) throws(ExpressionDiagnostics) {
        self.init(
            try ExpressionCompiler.typedCondition(
                condition, entity: entity, model: model, parameters: parameters))
    }

    /// Prepares an expression that computes a value of a type, or of whatever type it is.
    ///
    /// - Throws: ``ExpressionDiagnostics`` where the expression does not fit the entity, or a
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

    /// Whether an object meets the condition.
    ///
    /// - Throws: Here and below, ``PatternLimitError`` where a pattern takes too many steps.
    package func isTrue(_ subject: some ExpressionSubject) throws -> Bool {
        try isTrue(expression, Frame(subject: subject, now: .now))
    }

    /// Whether an object meets the condition at a moment.
    package func isTrue(_ subject: some ExpressionSubject, now: Date) throws -> Bool {
        try isTrue(expression, Frame(subject: subject, now: now))
    }

    /// The value for an object.
    package func evaluate(
        _ subject: some ExpressionSubject, now: Date = .now
    ) throws -> Value {
        try value(expression, Frame(subject: subject, now: now))
    }

    /// One value out of those that the expression has for many objects, without nil ones.
    package func aggregate(_ function: AggregateFunction, _ values: [Value]) -> Value {
        aggregate(function, values, expression.type)
    }

    /// The value for objects that variables stand for: the first of them is number 0.
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

    /// The values of an expression, nil left out, for the elements of a collection.
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
