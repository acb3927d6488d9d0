import CambiumModel

extension ModelChecker {
    /// A text can be made for which such a pattern is given up, and the save or the fetch fails.
    func warnAboutPattern(_ pattern: String, at offset: Int) {
        report(
            .costlyPattern,
            "'\(pattern)' cannot be matched in time that grows with the text only", at: offset,
            notes: [
                "Write it without back-references, look-ahead, atomic groups and \\X"
            ])
    }

    /// The patterns in the rules, the partial indexes and the requests of an entity.
    func warnAboutPatterns(of entity: Entity, _ draft: EntityDraft) {
        let rules = zip(entity.rules, kept("rule", of: draft))
        for (rule, element) in rules { warnAboutPatterns(in: rule.condition, element) }
        let requests = zip(entity.fetchTemplates, kept("fetch", of: draft))
        for (request, element) in requests { warnAboutPatterns(in: request.condition, element) }
    }

    private func warnAboutPatterns(
        in condition: ModelExpression?, _ element: ParsedElement
    ) {
        var open = condition.map { [$0] } ?? []
        while let part = open.popLast() {
            open += part.operands
            guard case .comparison(_, .matches, .literal(.string(let pattern)), _) = part,
                let expression = try? RegularExpression(pattern), !expression.isLinear
            else { continue }
            warnAboutPattern(pattern, at: element.text.sourceOffset(of: 0, in: parsed.source))
        }
    }
}
