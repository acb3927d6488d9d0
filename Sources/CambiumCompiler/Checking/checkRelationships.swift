import CambiumModel

extension ModelChecker {
    /// Makes a relationship. Its inverse is checked when all relationships are known.
    func checkRelationship(_ element: ParsedElement, _ subject: Subject) -> Relationship? {
        let renamedFrom = renamedFrom(element, subject)
        guard let name = subject.property, let destination = element["to"],
            checkEntityName(destination, of: element)
        else { return nil }
        let isToMany = flag("many", of: element)
        let isOptional = flag("optional", of: element)
        let (minimum, maximum) = checkCounts(of: element, isToMany: isToMany)
        if isToMany, let written = element["optional"], !isOptional, minimum ?? 0 == 0 {
            report(
                .laxRequirement,
                """
                A required to-many relationship accepts an empty set unless \
                \(wording.name("min")) is 1 or more
                """,
                at: written.offset, notes: [wording.write(("min", "1"), ("optional", "true"))])
        }
        let isOrdered = flag("ordered", of: element)
        if isOrdered, !isToMany, let written = element["ordered"] {
            reportInapplicableToOne(written)
        }
        if element["inverse"] == nil {
            report(
                .missingInverse,
                "Without an inverse, '\(name)' is not kept consistent with the other end",
                at: element.offset,
                notes: ["Declare the inverse. \(wording.write(("inverse", "…"))) to name it"])
        }
        return Relationship(
            name: name, destination: destination.value, inverse: element["inverse"]?.value,
            isToMany: isToMany, isOptional: isToMany || isOptional, minimumCount: minimum,
            maximumCount: maximum,
            deleteRule: word(
                "onDelete", of: element, from: DeleteRule.self, inXcode: "it is nullify here")
                ?? .nullify,
            renamedFrom: renamedFrom, isOrdered: isOrdered && isToMany,
            isTransient: flag("transient", of: element),
            hashModifier: element["hashModifier"]?.value, userInfo: userInfo(of: element))
    }

    /// In models of Xcode, many to-one relationships have settings of a to-many.
    private func reportInapplicableToOne(_ written: ParsedAttribute) {
        let message = "\(wording.name(written.name)) has no effect on a to-one relationship"
        let notes = parsed.isOfXcode ? [] : ["\(wording.write(("many", "true"))) for a to-many"]
        report(
            .inapplicable, message, at: written.offset, notes: notes, inXcode: "it is ignored")
    }

    /// Whether the XML attribute of an element names an entity that is declared (and usable).
    func checkEntityName(
        _ written: ParsedAttribute, of element: ParsedElement
    ) -> Bool {
        if declaredEntities.contains(written.value) { return !brokenNames.contains(written.value) }
        if !brokenNames.contains(written.value) {
            report(
                .unknownEntity, "There is no entity '\(written.value)'", at: written,
                notes: hint(written.value, among: declaredEntities.ordered(by: <)),
                inXcode: "'\(element["name"]?.value ?? "")' is left out")
            leaveOut(element)
        }
        return false
    }

    private func checkCounts(
        of element: ParsedElement, isToMany: Bool
    ) -> (minimum: Int?, maximum: Int?) {
        guard isToMany else {
            for written in [element["min"], element["max"]].compactMap(\.self) {
                reportInapplicableToOne(written)
            }
            return (nil, nil)
        }
        return consistent(
            ("min", count("min", of: element)), ("max", count("max", of: element)), of: element,
            isLess: <)
    }

    /// Checks that inverses exist and point back. If not, the relationship has no inverse in a
    /// model of Xcode.
    func checkInverses(of drafts: [EntityDraft], in model: Model) {
        for draft in drafts.indices {
            for index in drafts[draft].relationships.indices {
                let relationship = drafts[draft].relationships[index]
                guard let element = drafts[draft].declaration(of: relationship.name),
                    !checkInverse(of: relationship, drafts[draft], element, in: model)
                else { continue }
                drafts[draft].relationships[index] = relationship.with(
                    inverse: nil, renamedFrom: relationship.renamedFrom)
            }
        }
    }

    /// The fix for an inverse: how both become each other's inverse or, if the other side has
    /// another inverse already, that this one needs its own.
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
            return """
                '\(inverse.name)' is the inverse of \
                '\(inverse.destination).\(inverse.inverse ?? "")': declare another relationship \
                of \(destination.name) as the inverse and name it here
                """
        }
        if parsed.format == .xcode {
            return
                """
                Set the Destination of \(destination.name).\(inverse.name) to \(entity) and its \
                Inverse to \(relationship.name)
                """
        }
        let isOwn = model.declarer(of: inverse.name, in: destination)?.name == destination.name
        if isOwn {
            let changes = [
                inverse.destination == entity ? nil : "to=\"\(entity)\"",
                inverse.inverse == relationship.name ? nil : "inverse=\"\(relationship.name)\"",
            ].compactMap(\.self)
            return
                "Write \(changes.joined(separator: " ")) at '\(destination.name).\(inverse.name)'"
        }
        let many = inverse.isToMany ? " many=\"true\"" : ""
        return """
            Declare in \(destination.name): <relationship name=\"\(inverse.name)\" \
            to=\"\(entity)\" inverse=\"\(relationship.name)\"\(many)/>
            """
    }

    /// Whether the inverse of a relationship is right.
    private func checkInverse(
        of relationship: Relationship, _ draft: EntityDraft, _ element: ParsedElement,
        in model: Model
    ) -> Bool {
        guard let written = element["inverse"],
            let destination = model.entity(named: relationship.destination)
        else { return true }
        let outcome = "'\(relationship.name)' has no inverse here"
        guard let inverse = model.relationship(written.value, of: destination) else {
            if !brokenNames.contains(written.value),
                !incompleteEntities.contains(destination.name)
            {
                let names = model.relationships(of: destination).map { $0.name }
                report(
                    .unknownInverse,
                    "'\(destination.name)' has no relationship '\(written.value)'", at: written,
                    notes: hint(written.value, among: names), inXcode: outcome)
            }
            return false
        }
        if inverse.destination == draft.name, let back = inverse.inverse,
            model.entity(named: draft.name).flatMap({ model.relationship(back, of: $0) }) == nil
        {
            return false  // The other end is reported for naming something that is not there.
        }
        guard inverse.destination == draft.name, inverse.inverse == relationship.name,
            model.declarer(of: inverse.name, in: destination)?.name == destination.name
        else {
            let way = "\(destination.name).\(inverse.name)"
            report(
                .inverseNotMutual,
                "'\(way)' is not the inverse of '\(draft.name).\(relationship.name)'", at: written,
                notes: [remedy(for: relationship, of: draft.name, inverse, of: destination, model)],
                inXcode: outcome)
            return false
        }
        guard inverse.isTransient == relationship.isTransient else {
            if relationship.isTransient {
                report(
                    .transientInverse,
                    """
                    '\(relationship.name)' is transient, but its inverse \
                    '\(destination.name).\(inverse.name)' is stored
                    """,
                    at: (element["transient"] ?? written).offset,
                    notes: ["\(wording.write(("transient", "true"))) at both ends or at none"],
                    inXcode: "both are without inverse here")
            }
            return false
        }
        if relationship.deleteRule == .nullify, !inverse.isToMany, !inverse.isOptional {
            report(
                .deleteNeverSucceeds,
                """
                '\(destination.name).\(inverse.name)' is required, so an object with \
                '\(relationship.name)' cannot be deleted
                """,
                at: (element["onDelete"] ?? written).offset,
                notes: [
                    """
                    \(wording.write(("onDelete", "cascade"), ("onDelete", "deny"))) if that is \
                    meant
                    """
                ])
        }
        return true
    }
}
