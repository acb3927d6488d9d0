import CambiumModel

extension ModelDifference {
    /// Compares enumerations. Rows contain the raw value of a case, so a case with another name and
    /// the same raw value is the same case. A renamed enumeration is compared with the former
    /// enumerations of its attributes.
    func compareEnumerations() {
        for enumeration in new.enumerations {
            for before in match.formers(of: enumeration.name) where before != enumeration {
                compare(enumeration, since: before)
            }
        }
        for replacement in new.migration?.replacements ?? [] { check(replacement) }
    }

    private func compare(_ enumeration: Enumeration, since before: Enumeration) {
        // The author's declaration about a case comes first, also if another case has its value
        // now.
        func isReplaced(_ item: EnumerationCase) -> Bool {
            new.replacement(of: item.name, in: enumeration.name) != nil
        }
        for item in enumeration.cases {
            let known = before.cases.first {
                $0.rawValue(as: enumeration.rawType) == item.rawValue && !isReplaced($0)
            }
            if let known, known.name != item.name {
                checkExchange(of: known, with: item, of: enumeration, since: before)
                addOnce(.caseRenamed(enumeration: enumeration.name, item.name, from: known.name))
            } else if known == nil {
                addOnce(.caseAdded(enumeration: enumeration.name, item.name))
            }
        }
        for item in before.cases where isReplaced(item) || enumeration.successor(of: item) == nil {
            compareDropped(item, of: enumeration, since: before)
        }
    }

    /// Requires a declaration for a deleted case that objects have. Otherwise no program could read
    /// their value.
    private func compareDropped(
        _ item: EnumerationCase, of enumeration: Enumeration, since before: Enumeration
    ) {
        let all = match.holders(of: enumeration.name, from: before)
        // A fill that uses the value is responsible for its result. If a replacement changes the
        // value that the fill uses, that is still a change.
        let holders = all.filter { !match.isRevised($0.attribute.name, in: $0.entity.name) }
        let declared = new.replacement(of: item.name, in: enumeration.name)
        addOnce(
            .caseDropped(
                enumeration: enumeration.name, item.name,
                isReplaced: declared != nil && !all.isEmpty))
        let isOptional = holders.allSatisfy { mayHaveNone($0.attribute, of: $0.entity) }
        guard let first = holders.first, declared == nil else {
            if let declared, declared.replacement == nil, !isOptional {
                add(unanswered(declared, holders))
            }
            return
        }
        let namesake = enumeration.item(named: item.name)
        // If another case has its value now, that was already reported.
        func wasThere(_ one: EnumerationCase) -> Bool {
            before.cases.contains { $0.rawValue(as: enumeration.rawType) == one.rawValue }
        }
        if let namesake, wasThere(namesake) { return }
        let names = holders.map { "\($0.entity.name).\($0.attribute.name)" }
        let candidate =
            namesake
            ?? enumeration.cases.first { one in
                !wasThere(one) && !before.cases.contains { $0.name == one.name }
            }
        let what =
            namesake.map { "has the raw value \($0.rawText)" } ?? "is missing"
        // One of another type of raw values cannot keep its own.
        let kept = item.rawValue(as: enumeration.rawType).map { _ in
            MigrationFix.keepCase(
                enumeration: enumeration.name, named: candidate?.name, value: item.rawText)
        }
        addProblem(
            entity: first.entity.name, enumeration: enumeration.name,
            fact: """
                '\(item.name)' of \(enumeration.name) \(what) in version \(new.version), and \
                objects may have \(namesake == nil ? "it" : item.rawText) \
                (\(names.joined(separator: ", ")))
                """,
            remedy: "declare "
                + (kept == nil
                    ? ""
                    : "whether it " + (namesake == nil ? "was renamed, and so keeps" : "keeps")
                        + " its raw value, or ")
                + "what they get instead",
            fixes: [
                kept,
                .replace(
                    enumeration: enumeration.name, case: item.name, isOptional: isOptional,
                    with: kept == nil ? namesake?.name : nil),
            ].compactMap { $0 })
    }

    /// Whether objects may have no value of an attribute. A part that its composite value requires
    /// exists as long as other parts do.
    func mayHaveNone(_ attribute: Attribute, of entity: Entity) -> Bool {
        attribute.isOptional
            && !entity.presenceRules(in: new).contains {
                $0.required.contains(attribute.name) && $0.parts.count > 1
            }
    }

    private func unanswered(
        _ declared: MigrationDeclaration.Replacement,
        _ holders: [(entity: Entity, attribute: Attribute)]
    ) -> MigrationProblem {
        let holder = holders.first { !mayHaveNone($0.attribute, of: $0.entity) }
        return MigrationProblem(
            entity: holder?.entity.name ?? "", enumeration: declared.enumeration,
            fact: """
                Objects that have '\(declared.name)' of \(declared.enumeration) need another \
                case: \(holder?.entity.name ?? "").\(holder?.attribute.name ?? "") is required
                """,
            fixes: [
                .replace(
                    enumeration: declared.enumeration, case: declared.name, isOptional: false)
            ])
    }

    /// Reports a replacement of a case that exists, or with a case that does not exist.
    private func check(_ replacement: MigrationDeclaration.Replacement) {
        let (type, name) = (replacement.enumeration, replacement.name)
        let item = match.formerCase(name, of: type)
        func problem(_ fact: String, remedy: String? = nil) -> MigrationProblem {
            MigrationProblem(entity: "", enumeration: type, fact: fact, remedy: remedy)
        }
        guard let item, let enumeration = new.enumeration(named: type) else {
            let successor = new.enumerations.first { match.wasCalled($0.name, type) }
            return add(
                problem(
                    "A replacement names '\(name)' of \(type), which "
                        + (item == nil
                            ? "version \(old.version) does not have"
                            : successor.map {
                                "version \(new.version) calls '\($0.name)': name that"
                            }
                                ?? """
                                version \(new.version) no longer has: declare with a fill what \
                                its attributes get
                                """)))
        }
        let before = match.formers(of: type).first { $0.cases.contains(item) }
        if let successor = enumeration.successor(of: item),
            before.map({ !enumeration.exchanges(item, for: successor, since: $0) }) ?? true
        {
            return add(
                problem(
                    """
                    The migration replaces '\(name)' of \(type), and version \(new.version) still \
                    has its raw value in '\(successor.name)'
                    """,
                    remedy: "remove the replacement, or give '\(successor.name)' another raw value")
            )
        }
        if let other = replacement.replacement,
            !enumeration.cases.contains(where: { $0.name == other })
        {
            add(problem("Version \(new.version) has no case '\(other)' of \(type)"))
        }
    }
}

extension ModelMatch {
    /// Returns the stored attributes that have an enumeration's cases as values and had cases of
    /// the given old enumeration. The two may be the same.
    package func holders(
        of enumeration: String, from before: Enumeration
    ) -> [(entity: Entity, attribute: Attribute)] {
        uses(of: enumeration).filter { $0.types.contains(before) }
            .map { ($0.entity, $0.attribute) }
    }

    /// Returns the old enumerations of a new one. If the old version has one with this name, it is
    /// the only one. Otherwise they are the former types of the enumeration's attributes.
    package func formers(of enumeration: String) -> [Enumeration] {
        if let same = old.enumeration(named: enumeration) { return [same] }
        return uses(of: enumeration).flatMap { $0.types }.reduce(into: []) { found, type in
            if !found.contains(type) { found.append(type) }
        }
    }

    /// A case of the enumeration that one is now, as the old version has it.
    func formerCase(_ name: String, of enumeration: String) -> EnumerationCase? {
        formers(of: enumeration).lazy.flatMap { $0.cases }.first { $0.name == name }
    }

    /// Whether attributes of an enumeration had another enumeration as their type before.
    fileprivate func wasCalled(_ enumeration: String, _ former: String) -> Bool {
        formers(of: enumeration).contains { $0.name == former }
    }

    /// Returns the stored attributes of an enumeration that had cases of an enumeration before,
    /// with these enumerations.
    package func uses(
        of enumeration: String
    ) -> [(entity: Entity, attribute: Attribute, types: [Enumeration])] {
        let same = old.enumeration(named: enumeration)
        return new.entities.flatMap { entity in
            entity.attributes.compactMap { attribute in
                guard attribute.type == .enumeration(enumeration), !attribute.isTransient,
                    attribute.derivation == nil
                else { return nil }
                let types = sources(of: attribute.name, in: entity).compactMap { source in
                    guard let before = oldAttribute(at: source.old), !before.isTransient,
                        case .enumeration(let former) = before.type,
                        same == nil || former == enumeration
                    else { return nil as Enumeration? }
                    return old.enumeration(named: former)
                }
                return types.isEmpty ? nil : (entity, attribute, types)
            }
        }
    }
}

extension Model {
    /// Returns the author's declaration about a deleted case.
    package func replacement(
        of name: String, in enumeration: String
    ) -> MigrationDeclaration.Replacement? {
        migration?.replacements.first { $0.enumeration == enumeration && $0.name == name }
    }
}

extension EnumerationCase {
    /// The raw value as the model language writes it.
    var rawText: String {
        switch rawValue {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: name
        }
    }
}

extension ModelDifference {
    /// Checks a case that takes the raw value of another case, if either of them had, or now has, a
    /// raw value of its own. This happens if cases without explicit values are reordered, added or
    /// deleted.
    func checkExchange(
        of known: EnumerationCase, with item: EnumerationCase, of enumeration: Enumeration,
        since before: Enumeration
    ) {
        guard enumeration.exchanges(known, for: item, since: before) else { return }
        // A fill that uses the value determines the result.
        let holders = match.holders(of: enumeration.name, from: before).filter {
            !match.isRevised($0.attribute.name, in: $0.entity.name)
        }
        guard let holder = holders.first else { return }
        let own = before.item(named: item.name)
        let kept = own.flatMap { canKeep($0, in: enumeration, since: before) ? $0 : nil }
        addProblem(
            entity: holder.entity.name, enumeration: enumeration.name,
            fact: """
                '\(item.name)' of \(enumeration.name) has the raw value \(item.rawText) now, \
                which '\(known.name)' had, and objects that have '\(known.name)' would have \
                '\(item.name)'
                """,
            remedy: kept == nil
                ? "write other values, or declare what they get"
                : "write the value that it had",
            fixes: [
                kept.map { keeping($0, item, of: enumeration, since: before) }
                    ?? .replace(
                        enumeration: enumeration.name, case: known.name,
                        isOptional: holders.allSatisfy {
                            mayHaveNone($0.attribute, of: $0.entity)
                        },
                        with: enumeration.item(named: known.name)?.name)
            ])
    }

    /// Returns the fix that writes out the raw values. Swapped values must be written out together,
    /// because one alone would be the value of two cases.
    private func keeping(
        _ own: EnumerationCase, _ item: EnumerationCase, of enumeration: Enumeration,
        since before: Enumeration
    ) -> MigrationFix {
        var values = [(name: item.name, text: own.rawText)]
        var taken = [own]
        while let value = taken.popLast() {
            guard let other = enumeration.cases.first(where: { $0.rawValue == value.rawValue }),
                !values.contains(where: { $0.name == other.name }),
                let former = before.item(named: other.name)
            else { continue }
            values.append((other.name, former.rawText))
            taken.append(former)
        }
        let fixes = values.map {
            MigrationFix.keepCase(enumeration: enumeration.name, named: $0.name, value: $0.text)
        }
        return fixes.count == 1 ? fixes[0] : .together(fixes)
    }

    /// Whether a case can keep its old raw value. It can if the value has the right type, and no
    /// new case has it. Cases that existed before get their own old values back.
    private func canKeep(
        _ own: EnumerationCase, in enumeration: Enumeration, since before: Enumeration
    ) -> Bool {
        guard let value = own.rawValue(as: enumeration.rawType) else { return false }
        return !enumeration.cases.contains { other in
            other.rawValue == value && !before.cases.contains { $0.name == other.name }
        }
    }
}

extension Enumeration {
    /// Whether a case took over the raw value of another case. A simple rename is excluded: a case
    /// with one of the two names also exists in the other version.
    ///
    /// - Parameter before: The enumeration that has `item`.
    func exchanges(
        _ item: EnumerationCase, for successor: EnumerationCase, since before: Enumeration
    ) -> Bool {
        item.name != successor.name
            && (before.cases.contains { $0.name == successor.name }
                || cases.contains { $0.name == item.name })
    }
}
