extension ExpressionCompiler {
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
        let checked = checker.condition(parsed)
        return try checker.finish(checked).typed
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
        parameters: [String: Value] = [:], variables: [String: Entity] = [:],
        allowsParameters: Bool = false
    ) throws(ExpressionDiagnostics) -> TypedExpression {
        var checker = ExpressionChecker(entity: entity, model: model, variables: variables)
        checker.allowsUndeclaredParameters = allowsParameters
        let parsed = ParsedExpression(expression, substituting: parameters)
        let checked =
            type.map { checker.value(parsed, as: $0, isDerivation: true) }
            ?? checker.anyValue(parsed)
        return try checker.finish(checked).typed
    }
}
