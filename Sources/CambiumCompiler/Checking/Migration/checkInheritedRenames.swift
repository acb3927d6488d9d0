import CambiumModel
import CambiumPlan

extension ModelChecker {
    /// A property has one name in all objects, which the entity says that declares it.
    func reportInherited(
        _ name: ParsedAttribute, _ property: ParsedAttribute?, from: ParsedAttribute?,
        in model: Model
    ) {
        guard let property, let from, let entity = model.entity(named: name.value),
            !incompleteEntities.contains(name.value),
            let owner = model.lineage(of: entity).first(where: {
                $0.name != entity.name && $0.has(property.value)
            })
        else { return }
        report(
            .unknownMigrationSubject,
            "'\(entity.name)' inherits '\(property.value)' from '\(owner.name)', and does not rename "
                + "it for its own objects", at: property,
            notes: [
                "Rename it at '\(owner.name)' instead, without a drop of '\(from.value)': then all "
                    + "objects keep it"
            ])
    }
}

extension Entity {
    /// Whether a property of the name, of several parts or not, is declared here.
    fileprivate func has(_ property: String) -> Bool {
        declares(property) || compositeAttributes.contains { $0.name == property }
    }
}
