import CambiumModel

extension ModelChecker {
    /// Delete rules that delete too much, or never let anything go.
    func warnAboutDeletes(of entity: Entity, _ draft: EntityDraft, in model: Model) {
        for relationship in entity.relationships {
            guard let element = draft.declaration(of: relationship.name) else { continue }
            let offset = (element["onDelete"] ?? element["name"])?.offset ?? element.offset
            switch relationship.deleteRule {
            case .nullify: break
            case .cascade: warnAboutCascade(of: relationship, entity, in: model, at: offset)
            case .deny: warnAboutDeny(of: relationship, entity, at: offset)
            }
            if relationship.isToMany, relationship.maximumCount == 1, let written = element["max"] {
                report(
                    .singularToMany, "A to-many relationship to at most one object is a to-one",
                    at: written.offset, notes: [wording.remove("many", "true")])
            }
        }
    }

    private func warnAboutCascade(
        of relationship: Relationship, _ entity: Entity, in model: Model, at offset: Int
    ) {
        guard let destination = model.entity(named: relationship.destination),
            let inverse = relationship.inverse.flatMap({ model.relationship($0, of: destination) })
        else { return }
        if inverse.deleteRule == .cascade {
            // A pair that lives and dies together is fine.
            guard relationship.isToMany || inverse.isToMany,
                (entity.name, relationship.name) <= (destination.name, inverse.name)
            else { return }
            report(
                .cascadeBothWays,
                "Both ends of '\(relationship.name)' cascade: deleting one object deletes "
                    + "everything that hangs together",
                at: offset,
                notes: [
                    "\(wording.write(("onDelete", "nullify"), ("onDelete", "deny"))) at one end"
                ])
        } else if inverse.isToMany {
            report(
                .cascadeIntoShared,
                "Deleting a '\(entity.name)' deletes its '\(destination.name)', which others have "
                    + "too",
                at: offset,
                notes: [
                    wording.write(("onDelete", "nullify"))
                        + "; deleting unused ones is the program's choice"
                ])
        }
    }

    private func warnAboutDeny(
        of relationship: Relationship, _ entity: Entity, at offset: Int
    ) {
        let isNeverEmpty =
            relationship.isToMany
            ? relationship.minimumCount ?? 0 > 0 : !relationship.isOptional
        guard isNeverEmpty else { return }
        report(
            .denyForever,
            "'\(relationship.name)' is never empty, so a '\(entity.name)' can never be deleted",
            at: offset,
            notes: [
                wording.write(("onDelete", "nullify")) + ", or make the relationship optional"
            ])
    }
}
