import CambiumModel

extension ModelChecker {
    /// Makes the steps that the program supplies: methods of a protocol, one for each name.
    mutating func checkSteps(
        of migration: ParsedElement, in model: Model, from old: Model?
    ) -> [MigrationDeclaration.Step] {
        var seen: [String: String] = [:]
        return migration.children(named: "step").compactMap { item in
            guard let name = item["name"], checkName(name, isTaken: [], of: "a step"),
                checkDuplicate(name, among: &seen, "a step")
            else { return nil }
            return .init(
                name: name.value,
                entities: item["entities"].map { checkEntities(of: $0, in: model, from: old) } ?? []
            )
        }
    }

    /// The entities that a step is about: those whose objects it writes, by their new names, and
    /// those that are gone, which it can only read.
    private mutating func checkEntities(
        of written: ParsedAttribute, in model: Model, from old: Model?
    ) -> [String] {
        var entities: [String] = []
        let words = WordList(written.value).words
        if words.isEmpty {
            report(
                .invalidWord, "The step names no entity", at: written,
                notes: ["Name those that it writes, or leave 'entities' out for all that change"])
        }
        for word in words {
            let offset = written.text.sourceOffset(of: word.offset, in: parsed.source)
            let isKnown =
                model.entity(named: word.text) != nil || old?.entity(named: word.text) != nil
            if !isKnown {
                guard !brokenNames.contains(word.text) else { continue }
                report(
                    .unknownMigrationSubject,
                    "Version \(model.version) has no entity '\(word.text)'", at: offset,
                    notes: hint(word.text, among: declaredEntities.sorted()))
            } else if entities.contains(word.text) {
                report(.duplicateName, "'\(word.text)' stands twice in the list", at: offset)
            } else {
                entities.append(word.text)
            }
        }
        return entities
    }
}
