import CambiumModel

extension ModelChecker {
    /// Reports what is legal and will hurt. Only a model without errors is looked at.
    ///
    /// A warning belongs here where it is right nearly always: an author who means it anyway should
    /// be rare.
    func warn(about model: Model, _ drafts: [EntityDraft]) {
        for (entity, draft) in zip(model.entities, drafts) {
            warnAboutShape(of: entity, draft, in: model)
            warnAboutAttributes(of: entity, draft, in: model)
            warnAboutDeletes(of: entity, draft, in: model)
            warnAboutIndexes(of: entity, draft, in: model)
            warnAboutFloatingUniques(of: entity, draft, in: model)
            warnAboutConditions(of: entity, draft, in: model)
            warnAboutPatterns(of: entity, draft)
        }
        warnAboutUnusedTypes(of: model)
    }

    private func warnAboutShape(
        of entity: Entity, _ draft: EntityDraft, in model: Model
    ) {
        let isChildless = !model.hasSubentities(entity)
        if entity.isAbstract, isChildless {
            report(
                .childlessAbstract,
                "'\(entity.name)' is abstract and nothing inherits from it, so it has no objects",
                at: (draft.element["abstract"]?.offset) ?? draft.element.offset,
                notes: [wording.remove("abstract", "true") + ", or remove the entity"])
        } else if isChildless, entity.attributes.isEmpty, entity.relationships.isEmpty,
            model.attributes(of: entity).isEmpty, model.relationships(of: entity).isEmpty
        {
            report(
                .emptyEntity, "'\(entity.name)' has nothing to store", at: draft.element.offset,
                notes: ["Declare an attribute or a relationship"])
        }
    }

    /// Enumerations and composites that nothing has as its type.
    private func warnAboutUnusedTypes(of model: Model) {
        let declared = parsed.root.children.filter { ["enum", "composite"].contains($0.name) }
        guard !declared.isEmpty else { return }
        var used: Set<String> = []
        let attributes = model.entities.flatMap(\.attributes)
        for attribute in attributes + model.composites.flatMap(\.attributes) {
            if case .enumeration(let name) = attribute.type { used.insert(name) }
        }
        for parameter in model.entities.flatMap({ $0.fetchTemplates.flatMap(\.parameters) }) {
            if case .enumeration(let name) = parameter.type { used.insert(name) }
        }
        for composite in model.entities.flatMap(\.compositeAttributes)
            + model.composites.flatMap(\.compositeAttributes)
        {
            used.insert(composite.composite)
        }
        for element in declared {
            guard let name = element["name"], !used.contains(name.value) else { continue }
            report(
                .unusedType, "Nothing is of the type '\(name.value)'", at: name,
                notes: [
                    parsed.format == .xcode
                        ? "Remove it, or give an attribute that type"
                        : "Remove it, or write type=\"\(name.value)\" at an attribute"
                ])
        }
    }
}
