import CambiumModel

extension ModelChecker {
    /// A step that the program supplies: a method of a protocol, one for each name.
    mutating func checkStep(
        _ element: ParsedElement, _ versions: DeclarationKind.Versions
    ) -> MigrationDeclaration.Step? {
        var names = stepNames
        defer { stepNames = names }
        guard let name = element["name"], checkName(name, isTaken: [], of: "a step"),
            checkDuplicate(name, among: &names, "a step")
        else { return nil }
        return .init(
            name: name.value,
            entities: element["entities"].map { checkEntities(of: $0, versions) } ?? [])
    }

    /// The entities that a step is about: those whose objects it writes, by their new names, and
    /// those that are gone, which it can only read.
    private mutating func checkEntities(
        of written: ParsedAttribute, _ versions: DeclarationKind.Versions
    ) -> [String] {
        let (model, old) = versions
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
