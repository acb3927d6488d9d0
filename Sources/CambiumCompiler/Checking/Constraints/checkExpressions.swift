import CambiumModel

extension ModelChecker {
    /// The tree of a value of an attribute, or nil where it is wrong (and reported at its places).
    mutating func checkValue(
        _ text: ParsedText, of entity: Entity, in model: Model, _ attribute: Attribute
    ) -> ModelExpression? {
        let value = settle(text) {
            ExpressionCompiler.value($0, as: attribute.type, entity: entity, model: model)
        }
        if value == .literal(.null), !attribute.isOptional {
            report(
                .invalidExpression, "'\(attribute.name)' is required and cannot be filled with nil",
                at: text.sourceOffset(of: 0, in: parsed.source))
            return nil
        }
        return value
    }

    /// What an expression's text means, or nil where it is wrong (and reported at its places). One
    /// that uses a name whose declaration was reported already is passed over.
    mutating func settle<Checked>(
        _ text: ParsedText, _ check: (String) -> Result<Checked, ExpressionDiagnostics>
    ) -> Checked? {
        guard !mentionsBrokenName(text) else { return nil }
        switch check(text.value) {
        case .success(let checked):
            return checked
        case .failure(let failure):
            let isIncomplete = failure.diagnostics.contains { diagnostic in
                diagnostic.lackingEntity.map(incompleteEntities.contains) ?? false
            }
            if isIncomplete { return nil }
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
        guard !brokenNames.isEmpty else { return false }
        let words = text.value.unicodeScalars.split { !$0.properties.isXIDContinue }
        return words.contains { brokenNames.contains(String($0)) }
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
