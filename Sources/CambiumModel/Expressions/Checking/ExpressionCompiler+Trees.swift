extension ExpressionCompiler {
    /// Checks a condition that code put together, and resolves its names.
    ///
    /// - Parameters:
    ///   - parameters: Values for `$name`.
    ///   - allowsParameters: Whether some `$name` may be left without a value for now.
    /// - Throws: What is wrong, with the parts of the tree.
    package static func typedCondition(
        _ expression: ModelExpression, entity: Entity, model: Model,
        parameters: [String: Value] = [:], variables: [String: Entity] = [:],
        allowsParameters: Bool = false
    ) throws(ExpressionDiagnostics) -> TypedExpression {
        try typed(expression, parameters) { (parsed) throws(ExpressionDiagnostics) in
            var checker = ExpressionChecker(entity: entity, model: model, variables: variables)
            checker.allowsUndeclaredParameters = allowsParameters
            let checked = checker.condition(parsed)
            return try checker.finish(checked).typed
        }
    }

    /// Checks an expression that code put together and that computes a value of a type (or of
    /// whatever type it is, for nil).
    ///
    /// - Parameters:
    ///   - parameters: Values for `$name`.
    ///   - allowsParameters: Whether some `$name` may be left without a value for now.
    ///   - isFill: Whether it is what existing objects get, which may use more.
    /// - Throws: What is wrong, with the parts of the tree.
    package static func typedValue(
        _ expression: ModelExpression, as type: AttributeType? = nil, entity: Entity, model: Model,
        parameters: [String: Value] = [:], variables: [String: Entity] = [:],
        allowsParameters: Bool = false, isFill: Bool = false
    ) throws(ExpressionDiagnostics) -> TypedExpression {
        try typed(expression, parameters) { (parsed) throws(ExpressionDiagnostics) in
            var checker = ExpressionChecker(entity: entity, model: model, variables: variables)
            checker.allowsUndeclaredParameters = allowsParameters
            if isFill { checker.purpose = .fill }
            let checked =
                type.map { checker.value(parsed, as: $0, isDerivation: true) }
                ?? checker.anyValue(parsed)
            return try checker.finish(checked).typed
        }
    }

    /// Checks a tree; where it is wrong once more, with numbers in the place of offsets, to name the
    /// parts.
    private static func typed(
        _ expression: ModelExpression, _ parameters: [String: Value],
        _ check: (ParsedExpression) throws(ExpressionDiagnostics) -> TypedExpression
    ) throws(ExpressionDiagnostics) -> TypedExpression {
        let expression = expression.limited
        do throws(ExpressionDiagnostics) {
            return try check(ParsedExpression(expression, substituting: parameters))
        } catch {
            var places = TreePlaces()
            let numbered = ParsedExpression(
                expression, substituting: parameters, places: &places)
            do throws(ExpressionDiagnostics) {
                return try check(numbered)
            } catch {
                throw places.naming(error)
            }
        }
    }
}
