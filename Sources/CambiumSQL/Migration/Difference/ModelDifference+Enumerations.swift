import CambiumModel

extension ModelDifference {
    /// A case is its raw value, which rows hold: one of another name is the same.
    mutating func compareEnumerations() {
        for enumeration in new.enumerations {
            guard let before = old.enumeration(named: enumeration.name), before != enumeration
            else { continue }
            for item in enumeration.cases {
                let known = before.cases.first { $0.rawValue == item.rawValue }
                if let known, known.name != item.name {
                    add(.caseRenamed(enumeration: enumeration.name, item.name, from: known.name))
                } else if known == nil {
                    add(.caseAdded(enumeration: enumeration.name, item.name))
                }
            }
            // Values of another type are converted, and refused where they are no case.
            for item in before.cases
            where before.rawType == enumeration.rawType && !enumeration.hasCase(of: item) {
                compareDropped(item, of: enumeration, since: before)
            }
        }
        for replacement in new.migration?.replacements ?? [] { check(replacement) }
    }

    /// A case that objects have cannot go without a word: they would have a value that nobody can
    /// read.
    private mutating func compareDropped(
        _ item: EnumerationCase, of enumeration: Enumeration, since before: Enumeration
    ) {
        let holders = match.holders(of: enumeration.name).filter {
            !match.isRevised($0.attribute.name, in: $0.entity.name)
        }
        let declared = match.replacement(of: item.name, in: enumeration.name)
        add(
            .caseDropped(
                enumeration: enumeration.name, item.name,
                isReplaced: declared != nil && !holders.isEmpty))
        let isOptional = holders.allSatisfy(\.attribute.isOptional)
        guard let first = holders.first, declared == nil else {
            if let declared, declared.replacement == nil, !isOptional {
                add(unanswered(declared, holders))
            }
            return
        }
        let names = holders.map { "\($0.entity.name).\($0.attribute.name)" }
        let candidate = enumeration.cases.first { !before.hasCase(of: $0) }
        add(
            MigrationProblem(
                entity: first.entity.name, enumeration: enumeration.name,
                message: "'\(item.name)' of \(enumeration.name) is gone in version \(new.version), "
                    + "and objects may have it (\(names.joined(separator: ", "))); say whether it "
                    + "was renamed, and so keeps its raw value, or what they get instead",
                fixes: [
                    .keepCase(
                        enumeration: enumeration.name, named: candidate?.name,
                        value: item.rawText),
                    .replace(
                        enumeration: enumeration.name, case: item.name, isOptional: isOptional),
                ]))
    }

    private func unanswered(
        _ declared: MigrationDeclaration.Replacement,
        _ holders: [(entity: Entity, attribute: Attribute)]
    ) -> MigrationProblem {
        let holder = holders.first { !$0.attribute.isOptional }
        return MigrationProblem(
            entity: holder?.entity.name ?? "", enumeration: declared.enumeration,
            message: "Objects that have '\(declared.name)' of \(declared.enumeration) need another "
                + "case: \(holder?.entity.name ?? "").\(holder?.attribute.name ?? "") is required",
            fixes: [
                .replace(
                    enumeration: declared.enumeration, case: declared.name, isOptional: false)
            ])
    }

    /// What replaces something that is there, or by something that is not, is a mistake.
    private mutating func check(_ replacement: MigrationDeclaration.Replacement) {
        let (type, name) = (replacement.enumeration, replacement.name)
        let item = old.enumeration(named: type)?.cases.first { $0.name == name }
        func problem(_ message: String) -> MigrationProblem {
            MigrationProblem(entity: "", enumeration: type, message: message)
        }
        guard let item, let enumeration = new.enumeration(named: type) else {
            return add(
                problem(
                    "A replacement names '\(name)' of \(type), which "
                        + (item == nil
                            ? "version \(old.version) does not have"
                            : "version \(new.version) has no longer: say with a fill what its "
                                + "attributes have instead")))
        }
        if let heir = enumeration.cases.first(where: { $0.rawValue == item.rawValue }) {
            return add(
                problem(
                    "The migration replaces '\(name)' of \(type), and version \(new.version) still "
                        + "has its raw value in '\(heir.name)'; remove the replacement, or give "
                        + "'\(heir.name)' another raw value"))
        }
        if let other = replacement.replacement,
            !enumeration.cases.contains(where: { $0.name == other })
        {
            add(problem("Version \(new.version) has no case '\(other)' of \(type)"))
        }
    }
}

extension ModelMatch {
    /// The stored attributes whose values are cases of an enumeration in both versions.
    func holders(of enumeration: String) -> [(entity: Entity, attribute: Attribute)] {
        let type = AttributeType.enumeration(enumeration)
        return new.entities.flatMap { entity in
            entity.attributes.filter { attribute in
                attribute.type == type && !attribute.isTransient && attribute.derivation == nil
                    && sources(of: attribute.name, in: entity).contains { source in
                        oldAttribute(at: source.old).map { $0.type == type && !$0.isTransient }
                            ?? false
                    }
            }.map { (entity, $0) }
        }
    }

    /// What the author says about a case that is gone.
    func replacement(
        of name: String, in enumeration: String
    ) -> MigrationDeclaration.Replacement? {
        new.migration?.replacements.first { $0.enumeration == enumeration && $0.name == name }
    }
}

extension EnumerationCase {
    /// The raw value as the model language writes it.
    fileprivate var rawText: String {
        switch rawValue {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: name
        }
    }
}

extension Enumeration {
    /// Whether one of the cases has the raw value of a case.
    fileprivate func hasCase(of item: EnumerationCase) -> Bool {
        cases.contains { $0.rawValue == item.rawValue }
    }
}
