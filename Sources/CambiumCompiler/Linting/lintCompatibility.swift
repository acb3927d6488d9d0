import CambiumModel
import CambiumSQL

extension StepLint {
    /// Two versions with the same hash are the same to a store: a program of the older one opens a
    /// store of the newer, and takes its conditions out again.
    func lintCompatibility() {
        guard old.model.versionHash == new.model.versionHash else { return }
        lintRepeatedStep()
        lintUnknownCases()
    }

    private func lintRepeatedStep() {
        if let step = new.model.migration?.steps.first {
            return report(
                .sameHash,
                "A program of version \(old.model.version) opens stores of this version as its own, "
                    + "and lets the step '\(step.name)' run again",
                at: new.position(ofEntity: nil),
                notes: [modifierRemedy(at: new.model.entities.first?.name ?? "")])
        }
        let repeated = difference.changes.first(where: \.losesData)
        let risk = difference.rowRisks.first
        // An enumeration has no hash of its own: an entity that uses it has.
        let type = repeated?.enumeration
        guard let entity = type.flatMap(user) ?? repeated?.entity ?? risk?.entity else { return }
        let property = repeated == nil ? risk?.property : repeated?.property
        let subject = property.map { "\(type ?? entity).\($0)" } ?? entity
        let harm =
            repeated == nil
            ? "writes what this version does not allow (\(subject))"
            : "lets the step run again, with what it does to \(subject)"
        report(
            .sameHash,
            "A program of version \(old.model.version) opens stores of this version as its own, and "
                + harm,
            at: type.map(new.position(ofEnumeration:)) ?? new.position(ofEntity: entity),
            notes: [modifierRemedy(at: entity)])
    }

    /// An entity that both versions have and that has values of an enumeration.
    private func user(of enumeration: String) -> String? {
        old.model.entities.compactMap(difference.match.newEntity).first { entity in
            entity.attributes.contains {
                $0.type == .enumeration(enumeration) && !$0.isTransient
            }
        }?.name
    }

    private func lintUnknownCases() {
        var added: [(enumeration: String, cases: [String])] = []
        for case .caseAdded(let name, let item) in difference.changes {
            if let index = added.firstIndex(where: { $0.enumeration == name }) {
                added[index].cases.append(item)
            } else {
                added.append((name, [item]))
            }
        }
        for (name, cases) in added {
            guard let user = user(of: name) else { continue }
            report(
                .unknownCase,
                "A program of version \(old.model.version) opens stores of this version as its own, "
                    + "and cannot read \(cases.map { "'\($0)'" }.joined(separator: ", ")) of \(name)",
                at: new.position(ofEnumeration: name), notes: [modifierRemedy(at: user)])
        }
    }

    private func modifierRemedy(at entity: String) -> String {
        wording.write(("hashModifier", "…")) + " at '\(entity)', another one than before: then the "
            + "older program says that it cannot open the store"
    }
}
