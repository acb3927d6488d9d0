/// The ways from an expression's text to a checked tree.
///
/// All failures are ``ExpressionDiagnostics``, whose offsets count UTF-8 bytes of the text.
package enum ExpressionCompiler {
    /// Checks a condition, such as a rule, a partial index's or a request's.
    ///
    /// - Parameters:
    ///   - text: The condition in the grammar of predicate formats.
    ///   - entity: The entity of the object that it is about.
    ///   - model: The entity's model.
    ///   - parameters: What `$name` may be.
    ///   - variables: Objects that `$name.property` may start from, such as a fetched property's
    ///     source, with their entities.
    ///   - arguments: What stands for `%@` and its like, in order; nil allows none.
    /// - Complexity: O(length of the text × size of the entity)
    package static func condition(
        _ text: String, entity: Entity, model: Model, parameters: [FetchParameter] = [],
        variables: [String: Entity] = [:], arguments: [FormatArgument]? = nil
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        var checker = ExpressionChecker(
            entity: entity, model: model, parameters: parameters, variables: variables)
        return checker.run(text, arguments) { checker, parsed in checker.condition(parsed) }
    }

    /// Checks an expression that computes a value, such as a fill or a derived attribute.
    ///
    /// - Parameters:
    ///   - text: The expression in the grammar of predicate formats.
    ///   - type: The type of the attribute that gets the value.
    ///   - entity: The entity of the object that it is about.
    ///   - model: The entity's model.
    ///   - parameters: What `$name` may be.
    /// - Complexity: O(length of the text × size of the entity)
    package static func value(
        _ text: String, as type: AttributeType, entity: Entity, model: Model,
        parameters: [FetchParameter] = []
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        var checker = ExpressionChecker(entity: entity, model: model, parameters: parameters)
        return checker.run(text, nil) { checker, parsed in checker.value(parsed, as: type) }
    }

    /// Checks a condition that code put together, and resolves its names.
    ///
    /// - Parameters:
    ///   - parameters: Values for `$name`.
    ///   - allowsParameters: Whether some `$name` may be left without a value for now.
    /// - Throws: What is wrong, with offset 0.
    package static func typedCondition(
        _ expression: ModelExpression, entity: Entity, model: Model,
        parameters: [String: Value] = [:], variables: [String: Entity] = [:],
        allowsParameters: Bool = false
    ) throws(ExpressionDiagnostics) -> TypedExpression {
        var checker = ExpressionChecker(entity: entity, model: model, variables: variables)
        checker.allowsUndeclaredParameters = allowsParameters
        let parsed = ParsedExpression(expression, substituting: parameters)
        return try checker.finish(checker.condition(parsed)).typed
    }

    /// Checks an expression that code put together and that computes a value of a type (or of
    /// whatever type it is, for nil).
    ///
    /// - Parameters:
    ///   - parameters: Values for `$name`.
    ///   - allowsParameters: Whether some `$name` may be left without a value for now.
    /// - Throws: What is wrong, with offset 0.
    package static func typedValue(
        _ expression: ModelExpression, as type: AttributeType? = nil, entity: Entity, model: Model,
        parameters: [String: Value] = [:], allowsParameters: Bool = false
    ) throws(ExpressionDiagnostics) -> TypedExpression {
        var checker = ExpressionChecker(entity: entity, model: model)
        checker.allowsUndeclaredParameters = allowsParameters
        let parsed = ParsedExpression(expression, substituting: parameters)
        let checked = type.map { checker.value(parsed, as: $0) } ?? checker.anyValue(parsed)
        return try checker.finish(checked).typed
    }
}
