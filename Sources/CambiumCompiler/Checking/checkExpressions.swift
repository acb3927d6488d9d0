import CambiumModel

extension ModelChecker {
    /// The tree of a condition, or nil where it is wrong (and reported at its places).
    mutating func checkCondition(
        _ text: ParsedText, of entity: Entity, in model: Model, _ parameters: [FetchParameter] = []
    ) -> ModelExpression? {
        guard !mentionsBrokenName(text) else { return nil }
        return settle(
            ExpressionCompiler.condition(
                text.value, entity: entity, model: model, parameters: parameters), of: text)
    }

    /// The tree of an expression that computes a value of an attribute, or nil where it is wrong.
    mutating func checkValue(
        _ text: ParsedText, of entity: Entity, in model: Model, _ attribute: Attribute
    ) -> ModelExpression? {
        guard !mentionsBrokenName(text) else { return nil }
        let value = settle(
            ExpressionCompiler.value(
                text.value, as: attribute.type, entity: entity, model: model), of: text)
        if value == .literal(.null), !attribute.isOptional {
            report(
                .invalidExpression, "'\(attribute.name)' is required and cannot be filled with nil",
                at: text.sourceOffset(of: 0, in: parsed.source))
            return nil
        }
        return value
    }

    private mutating func settle(
        _ result: Result<ModelExpression, ExpressionDiagnostics>, of text: ParsedText
    ) -> ModelExpression? {
        switch result {
        case .success(let expression):
            return expression
        case .failure(let failure):
            for diagnostic in failure.diagnostics {
                report(
                    .invalidExpression, Self.capitalized(diagnostic.message),
                    at: text.sourceOffset(of: diagnostic.offset, in: parsed.source),
                    notes: diagnostic.hint.map { [Self.capitalized($0)] } ?? [])
            }
            return nil
        }
    }

    /// Whether a text uses a name whose declaration was reported already.
    private func mentionsBrokenName(_ text: ParsedText) -> Bool {
        let words = text.value.unicodeScalars.split { !$0.properties.isXIDContinue }
        return words.contains { brokenNames.contains(String($0)) }
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
