import CambiumModel

extension ModelDifference {
    /// What the new version has no more, or keeps out of the store, is asked about.
    func addMissing(
        _ property: String, of oldEntity: Entity, in entity: Entity,
        declaration: MigrationFix.Declaration,
        candidate: String?, part: MigrationFix? = nil
    ) {
        let isLink = new.relationship(property, of: entity) != nil
        if declaration == .attribute, isLink {
            return addProblem(
                entity: oldEntity.name, property: property, in: .old,
                fact: """
                    \(oldEntity.name).\(property) of version \(old.version) is a relationship \
                    in version \(new.version)
                    """,
                remedy: """
                    keep the old values under another name, let a step of the program make \
                    links of them, or drop them
                    """,
                fixes: [
                    .rename(declaration, to: nil, from: property),
                    .convert(entity: oldEntity.name, property: property),
                    .drop(entity: oldEntity.name, property: property),
                ])
        }
        let isTransient = entity.hasTransient(property)
        addProblem(
            entity: oldEntity.name, property: property, in: .old,
            fact: "\(oldEntity.name).\(property) of version \(old.version) is "
                + (isTransient
                    ? "transient in version \(new.version), and a store keeps nothing of it"
                    : "gone in version \(new.version)"),
            remedy: "say whether it was renamed or its data may be lost",
            fixes: [
                part ?? .rename(declaration, to: candidate, from: property),
                .drop(entity: oldEntity.name, property: property),
            ])
    }
}

extension Entity {
    /// Whether a property is declared here that is not in the store.
    fileprivate func hasTransient(_ name: String) -> Bool {
        attributes.contains { $0.name == name && $0.isTransient }
            || compositeAttributes.contains { $0.name == name && $0.isTransient }
            || relationships.contains { $0.name == name && $0.isTransient }
    }
}
