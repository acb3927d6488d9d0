import CambiumModel

extension DeclarationKind {
    /// What the program does.
    static let step = Self(
        MigrationDeclaration.Step.self, [.needsCode], numberedFrom: 1,
        pairs: { Array(zip($0.map(\.sorted), $1)) }
    ) { [$0.checkStep($1, $2, $3)] }
}

extension ModelChecker {
    /// A step that the program supplies: a method of a protocol, one for each name.
    func checkStep(
        _ element: ParsedElement, _ model: Model, _ old: Model?
    ) -> MigrationDeclaration.Step? {
        var names = stepNames
        defer { stepNames = names }
        guard let name = element["name"], checkName(name, isTaken: [], of: "a step"),
            checkDuplicate(name, among: &names, "a step")
        else { return nil }
        return .init(
            name: name.value,
            entities: element["entities"].map { checkEntities(of: $0, in: model, from: old) } ?? [])
    }

    /// The entities that a step is about: those whose objects it writes, by their new names, and
    /// those that are gone, which it can only read.
    private func checkEntities(
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

extension MigrationDeclaration.Step {
    /// The same with the entities in an order of their own: theirs says nothing.
    fileprivate var sorted: Self { Self(name: name, entities: entities.sorted()) }
}
