import CambiumModel

extension ModelChecker {
    /// Makes a relationship. Whether its inverse is right is checked when all are known.
    mutating func checkRelationship(_ element: ParsedElement, _ subject: Subject) -> Relationship? {
        let renamedFrom = renamedFrom(element, subject)
        guard let name = subject.property, let destination = element["to"],
            checkEntityName(destination)
        else { return nil }
        let isToMany = flag("many", of: element)
        let isOptional = flag("optional", of: element)
        let (minimum, maximum) = checkCounts(of: element, isToMany: isToMany)
        if isToMany, let written = element["optional"], !isOptional, minimum ?? 0 == 0 {
            report(
                .laxRequirement,
                "A required to-many relationship accepts an empty set unless "
                    + "\(wording.name("min")) is 1 or more",
                at: written.offset, notes: [wording.write(("min", "1"), ("optional", "true"))])
        }
        let isOrdered = flag("ordered", of: element)
        if isOrdered, !isToMany, let written = element["ordered"] {
            report(
                .inapplicable,
                "\(wording.name("ordered")) means nothing for a to-one relationship",
                at: written.offset, notes: ["\(wording.write(("many", "true"))) for a to-many"])
        }
        if element["inverse"] == nil {
            report(
                .missingInverse,
                "Without an inverse, '\(name)' is not kept in step with the other end",
                at: element.offset,
                notes: ["Declare the way back. \(wording.write(("inverse", "…"))) to name it"])
        }
        return Relationship(
            name: name, destination: destination.value, inverse: element["inverse"]?.value,
            isToMany: isToMany, isOptional: isToMany || isOptional, minimumCount: minimum,
            maximumCount: maximum,
            deleteRule: word("onDelete", of: element, from: DeleteRule.self) ?? .nullify,
            renamedFrom: renamedFrom, isOrdered: isOrdered,
            isTransient: flag("transient", of: element),
            hashModifier: element["hashModifier"]?.value, userInfo: userInfo(of: element))
    }

    /// Whether an XML attribute names an entity that is declared (and usable).
    mutating func checkEntityName(_ written: ParsedAttribute) -> Bool {
        if declaredEntities.contains(written.value) { return !brokenNames.contains(written.value) }
        if !brokenNames.contains(written.value) {
            report(
                .unknownEntity, "There is no entity '\(written.value)'", at: written,
                notes: hint(written.value, among: declaredEntities.sorted()))
        }
        return false
    }

    private mutating func checkCounts(
        of element: ParsedElement, isToMany: Bool
    ) -> (minimum: Int?, maximum: Int?) {
        guard isToMany else {
            for written in [element["min"], element["max"]].compactMap(\.self) {
                report(
                    .inapplicable,
                    "\(wording.name(written.name)) means nothing for a to-one relationship",
                    at: written.offset,
                    notes: ["\(wording.write(("many", "true"))) for a to-many"])
            }
            return (nil, nil)
        }
        let minimum = count("min", of: element)
        let maximum = count("max", of: element, in: 1...Int(Int32.max))
        if let minimum, let maximum, minimum > maximum, let written = element["min"] {
            report(
                .contradictoryLimits,
                "\(wording.name("min")) is greater than \(wording.name("max"))", at: written)
        }
        return (minimum, maximum)
    }

    /// Checks that inverses exist and point back.
    mutating func checkInverses(in model: Model, _ drafts: [EntityDraft]) {
        for draft in drafts {
            for relationship in draft.relationships {
                guard let element = draft.declaration(of: relationship.name) else { continue }
                checkInverse(of: relationship, draft, element, in: model)
            }
        }
    }

    /// How the two become each other's inverse, or, where the other end is spoken for, that this one
    /// needs an inverse of its own.
    private func remedy(
        for relationship: Relationship, of entity: String, _ inverse: Relationship,
        of destination: Entity, _ model: Model
    ) -> String {
        let isSpokenFor =
            inverse.inverse != relationship.name
            && model.entity(named: inverse.destination).flatMap { other in
                inverse.inverse.flatMap { model.relationship($0, of: other) }
            }?.inverse == inverse.name
        if isSpokenFor {
            return "'\(inverse.name)' is the inverse of "
                + "'\(inverse.destination).\(inverse.inverse ?? "")': declare another relationship "
                + "of \(destination.name) for the way back and name it here"
        }
        if parsed.format == .xcode {
            return
                "Set the Destination of \(destination.name).\(inverse.name) to \(entity) and its "
                + "Inverse to \(relationship.name)"
        }
        let many = inverse.isToMany ? " many=\"true\"" : ""
        return "Declare in \(destination.name): <relationship name=\"\(inverse.name)\" "
            + "to=\"\(entity)\" inverse=\"\(relationship.name)\"\(many)/>"
    }

    private mutating func checkInverse(
        of relationship: Relationship, _ draft: EntityDraft, _ element: ParsedElement,
        in model: Model
    ) {
        guard let written = element["inverse"],
            let destination = model.entity(named: relationship.destination)
        else { return }
        guard let inverse = model.relationship(written.value, of: destination) else {
            if !brokenNames.contains(written.value),
                !incompleteEntities.contains(destination.name)
            {
                let names = model.relationships(of: destination).map(\.name)
                report(
                    .unknownInverse,
                    "'\(destination.name)' has no relationship '\(written.value)'", at: written,
                    notes: hint(written.value, among: names))
            }
            return
        }
        if inverse.destination == draft.name, let back = inverse.inverse,
            model.entity(named: draft.name).flatMap({ model.relationship(back, of: $0) }) == nil
        {
            return  // The other end is reported for naming something that is not there.
        }
        guard inverse.destination == draft.name, inverse.inverse == relationship.name,
            model.declarer(of: inverse.name, in: destination)?.name == destination.name
        else {
            let way = "\(destination.name).\(inverse.name)"
            report(
                .inverseNotMutual,
                "'\(way)' does not lead back to '\(draft.name).\(relationship.name)'", at: written,
                notes: [remedy(for: relationship, of: draft.name, inverse, of: destination, model)])
            return
        }
        guard inverse.isTransient == relationship.isTransient else {
            if relationship.isTransient {
                report(
                    .transientInverse,
                    "'\(relationship.name)' is transient, but its inverse "
                        + "'\(destination.name).\(inverse.name)' is stored",
                    at: (element["transient"] ?? written).offset,
                    notes: ["\(wording.write(("transient", "true"))) at both ends or at none"])
            }
            return
        }
        if relationship.deleteRule == .nullify, !inverse.isToMany, !inverse.isOptional {
            report(
                .deleteNeverSucceeds,
                "'\(destination.name).\(inverse.name)' is required, so an object with "
                    + "'\(relationship.name)' cannot be deleted",
                at: (element["onDelete"] ?? written).offset,
                notes: [
                    "\(wording.write(("onDelete", "cascade"), ("onDelete", "deny"))) if that is "
                        + "meant"
                ])
        }
    }
}
