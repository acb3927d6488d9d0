import CambiumModel

extension ModelChecker {
    /// The tree of what existing objects get as an attribute, or nil where it is wrong (and reported
    /// at its places).
    ///
    /// - Parameter former: What the objects were, as `Model.formerRow(of:in:)` has it.
    func checkValue(
        _ text: ParsedText, of entity: Entity, in model: Model, _ attribute: Attribute,
        former: Entity?
    ) -> ModelExpression? {
        let value = settle(text) {
            ExpressionCompiler.fill(
                $0, as: attribute.type, entity: entity, model: model, former: former)
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
    ///
    /// - Parameters:
    ///   - brokenParameters: Parameters that are reported already: what starts with one is not.
    ///   - lackingParameter: What to note where a parameter of that name is missing.
    ///   - outcome: What becomes of a wrong one in a model of Xcode's; nil for what Xcode does not
    ///     have.
    func settle<Checked>(
        _ text: ParsedText, brokenParameters: Set<String> = [],
        lackingParameter: (String) -> String? = { _ in nil }, inXcode outcome: String? = nil,
        _ check: (String) -> Result<Checked, ExpressionDiagnostics>
    ) -> Checked? {
        // What is no expression at all is none whatever the names mean.
        if mentionsBrokenName(text) {
            if case .failure(let mistake) = ExpressionCompiler.syntax(of: text.value) {
                report(mistake, in: text, inXcode: outcome)
            }
            return nil
        }
        switch check(text.value) {
        case .success(let checked):
            return checked
        case .failure(let failure):
            let isIncomplete = failure.diagnostics.contains { diagnostic in
                diagnostic.lackingEntity.map(incompleteEntities.contains) ?? false
            }
            if isIncomplete { return nil }
            for diagnostic in failure.diagnostics
            where !Self.starts(diagnostic, with: brokenParameters, in: text) {
                let declaration = diagnostic.lackingParameter.flatMap(lackingParameter)
                report(
                    diagnostic, in: text, notes: [declaration].compactMap(\.self),
                    inXcode: outcome)
            }
            return nil
        }
    }

    private func report(
        _ mistake: ExpressionDiagnostic, in text: ParsedText, notes: [String] = [],
        inXcode outcome: String?
    ) {
        report(
            .invalidExpression, mistake.message.capitalizedFirst,
            at: text.sourceOffset(of: mistake.offset, in: parsed.source),
            notes: (mistake.hint.map { [$0.capitalizedFirst] } ?? []) + notes, inXcode: outcome)
    }

    /// Whether a text uses a name whose declaration was reported already.
    private func mentionsBrokenName(_ text: ParsedText) -> Bool {
        guard !brokenNames.isEmpty else { return false }
        let words = text.value.unicodeScalars.split { !$0.properties.isXIDContinue }
        return words.contains { brokenNames.contains(String($0)) }
    }

    /// Whether what is wrong starts with one of the parameters.
    private static func starts(
        _ mistake: ExpressionDiagnostic, with parameters: Set<String>, in text: ParsedText
    ) -> Bool {
        guard !parameters.isEmpty else { return false }
        let rest = text.value.utf8.dropFirst(mistake.offset)
        guard rest.first == UInt8(ascii: "$") else { return false }
        let name = String(Substring(rest.dropFirst())).unicodeScalars
            .prefix { $0.properties.isXIDContinue }
        return parameters.contains(String(name))
    }
}
