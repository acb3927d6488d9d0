import CambiumModel

extension ModelDifference {
    /// A case that takes the raw value of another one, where either of them had, or has now, one of its
    /// own: cases that are put in another order, or of which one is gone or new, and whose values nobody
    /// has written out.
    func checkExchange(
        of known: EnumerationCase, with item: EnumerationCase, of enumeration: Enumeration,
        since before: Enumeration
    ) {
        guard enumeration.exchanges(known, for: item, since: before) else { return }
        // A fill that looks at the value says what becomes of it.
        let holders = match.holders(of: enumeration.name, from: before).filter {
            !match.isRevised($0.attribute.name, in: $0.entity.name)
        }
        guard let holder = holders.first else { return }
        let own = before.cases.first { $0.name == item.name }
        let kept = own.flatMap { canKeep($0, in: enumeration, since: before) ? $0 : nil }
        addProblem(
            entity: holder.entity.name, enumeration: enumeration.name,
            fact: """
                '\(item.name)' of \(enumeration.name) has the raw value \(item.rawText) now, \
                which '\(known.name)' had, and objects that have '\(known.name)' would have \
                '\(item.name)'
                """,
            remedy: kept == nil
                ? "write out other values, or say what they get"
                : "write out the value that it had",
            fixes: [
                kept.map { keeping($0, item, of: enumeration, since: before) }
                    ?? .replace(
                        enumeration: enumeration.name, case: known.name,
                        isOptional: holders.allSatisfy {
                            mayHaveNone($0.attribute, of: $0.entity)
                        },
                        with: enumeration.cases.first { $0.name == known.name }?.name)
            ])
    }

    /// Values that cases have exchanged can only be written out together: one alone would be that of two.
    private func keeping(
        _ own: EnumerationCase, _ item: EnumerationCase, of enumeration: Enumeration,
        since before: Enumeration
    ) -> MigrationFix {
        var values = [(name: item.name, text: own.rawText)]
        var taken = [own]
        while let value = taken.popLast() {
            guard let other = enumeration.cases.first(where: { $0.rawValue == value.rawValue }),
                !values.contains(where: { $0.name == other.name }),
                let former = before.cases.first(where: { $0.name == other.name })
            else { continue }
            values.append((other.name, former.rawText))
            taken.append(former)
        }
        let fixes = values.map {
            MigrationFix.keepCase(enumeration: enumeration.name, named: $0.name, value: $0.text)
        }
        return fixes.count == 1 ? fixes[0] : .together(fixes)
    }

    /// Whether a case can have the raw value that it had: it is one of the type, and no case that is
    /// new has it. What others had, they get back.
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
    /// Whether a case has the raw value of another one that it cannot just be the new name of, because
    /// there was, or there is, a case of either name beside it.
    ///
    /// - Parameter before: The enumeration that has `item`.
    func exchanges(
        _ item: EnumerationCase, for heir: EnumerationCase, since before: Enumeration
    ) -> Bool {
        item.name != heir.name
            && (before.cases.contains { $0.name == heir.name }
                || cases.contains { $0.name == item.name })
    }
}
