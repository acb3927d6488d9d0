import CambiumModel

extension ModelChecker {
    /// Numbers that are computed are seldom equal to the last bit.
    func warnAboutFloatingUniques(
        of entity: Entity, _ draft: EntityDraft, in model: Model
    ) {
        for (constraint, element) in zip(entity.uniqueConstraints, kept("unique", of: draft)) {
            let number = constraint.properties.first { name in
                let type = model.attribute(name, of: entity)?.type
                return type == .double || type == .float
            }
            guard let number, let written = element["by"] else { continue }
            report(
                .floatingUnique,
                "'\(number)' is a floating-point number: 0.3 and 0.1 + 0.2 do not collide",
                at: written,
                notes: [
                    "Make it a \(wording.type("decimal")) or a whole number, or leave it out of the "
                        + "constraint"
                ])
        }
    }
}
