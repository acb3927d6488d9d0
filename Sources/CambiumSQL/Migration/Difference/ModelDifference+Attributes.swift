import CambiumModel

extension ModelDifference {
    mutating func compareAttributes(of oldEntity: Entity, _ entity: Entity) {
        for attribute in entity.attributes {
            if let oldAttribute = match.oldAttribute(of: attribute.name, in: entity.name) {
                compare(oldAttribute, attribute, of: entity)
            } else if !attribute.isTransient {
                checkValueForExistingObjects(attribute, of: entity, became: "new and required")
                add(
                    .attributeAdded(
                        entity: entity.name, attribute.name,
                        isFilled: match.fill(of: attribute.name, in: entity.name) != nil))
            }
        }
        for attribute in oldEntity.attributes where !attribute.isTransient {
            let newAttribute = match.newAttribute(of: attribute.name, in: oldEntity.name)
            guard newAttribute?.isTransient ?? true else { continue }
            if match.isDropped(oldEntity.name, attribute.name) {
                add(.attributeDropped(entity: entity.name, attribute.name))
            } else {
                addMissing(
                    attribute.name, of: oldEntity, in: entity, element: "attribute",
                    candidate: entity.attributes.first {
                        !$0.isTransient && $0.type == attribute.type
                            && match.oldAttribute(of: $0.name, in: entity.name) == nil
                    }?.name)
            }
        }
    }

    private mutating func compare(_ old: Attribute, _ new: Attribute, of entity: Entity) {
        if old.name != new.name {
            add(.attributeRenamed(entity: entity.name, new.name, from: old.name))
        }
        guard !new.isTransient else { return }
        if old.isTransient {
            checkValueForExistingObjects(new, of: entity, became: "stored now and required")
            add(.attributeStored(entity: entity.name, new.name))
            return
        }
        compareTypes(old, new, of: entity)
        let becomesRequired = old.isOptional && !new.isOptional
        if becomesRequired || match.fill(of: new.name, in: entity.name) != nil {
            checkValueForExistingObjects(new, of: entity, became: "no longer optional")
        }
        if becomesRequired {
            add(.attributeBecameRequired(entity: entity.name, new.name))
        } else if !old.isOptional, new.isOptional {
            add(.attributeBecameOptional(entity: entity.name, new.name))
        }
        if old.defaultValue != new.defaultValue {
            add(.defaultChanged(entity: entity.name, new.name))
        }
        if old.limits != new.limits {
            add(.limitsChanged(entity: entity.name, new.name))
        }
    }

    private mutating func compareTypes(_ old: Attribute, _ new: Attribute, of entity: Entity) {
        guard
            let conversion = AttributeConversion(
                from: old.type, in: self.old, to: new.type, in: self.new)
        else {
            add(
                MigrationProblem(
                    entity: entity.name, property: new.name,
                    message: "\(entity.name).\(new.name) changes its type from "
                        + "\(words(for: old.type)) to \(words(for: new.type)), and not every value "
                        + "is sure to survive; give the new attribute another name",
                    fixes: [dropFix(match.oldEntity(of: entity)?.name ?? entity.name, old.name)]))
            return
        }
        if old.type != new.type {
            add(
                .attributeConverted(
                    entity: entity.name, new.name, to: words(for: new.type),
                    kind: conversion.fits == nil ? .reversible : .needsData))
        }
    }

    /// A required attribute needs a value in every object that is there.
    private mutating func checkValueForExistingObjects(
        _ attribute: Attribute, of entity: Entity, became reason: String
    ) {
        if let fill = match.fill(of: attribute.name, in: entity.name) {
            if ValueSource.fill(fill, for: attribute, of: entity, in: new) == nil {
                add(
                    MigrationProblem(
                        entity: entity.name, property: attribute.name,
                        message: "The fill of \(entity.name).\(attribute.name) cannot be computed "
                            + "by the store from the row alone; use a constant of the attribute's "
                            + "type, or other attributes and SQLite's own functions"))
            }
            return
        }
        guard !attribute.isOptional, attribute.defaultValue == nil else { return }
        add(
            MigrationProblem(
                entity: entity.name, property: attribute.name,
                message: "\(entity.name).\(attribute.name) is \(reason), and existing objects "
                    + "have no value for it; give it a default or a fill, or make it optional",
                fixes: [
                    "<attribute name=\"\(attribute.name)\" type=\"\(word(for: attribute.type))\" "
                        + "default=\"…\"/>",
                    "<migration from=\"\(old.version)\"><fill entity=\"\(entity.name)\" "
                        + "attribute=\"\(attribute.name)\" with=\"…\"/></migration>",
                ]))
    }

    mutating func addMissing(
        _ property: String, of oldEntity: Entity, in entity: Entity, element: String,
        candidate: String?
    ) {
        add(
            MigrationProblem(
                entity: oldEntity.name, property: property, in: .old,
                message: "\(oldEntity.name).\(property) of version \(old.version) is gone in "
                    + "version \(new.version); say whether it was renamed or its data may be lost",
                fixes: [
                    "<\(element) name=\"\(candidate ?? "newName")\" "
                        + "renamedFrom=\"\(property)\" …/>",
                    dropFix(oldEntity.name, property),
                ]))
    }

    private func words(for type: AttributeType) -> String {
        if case .decimal(let scale) = type { "decimal (scale \(scale))" } else { word(for: type) }
    }

    /// The type as the model language calls it.
    private func word(for type: AttributeType) -> String {
        switch type {
        case .decimal: "decimal"
        case .enumeration(let name): name
        default: "\(type)"
        }
    }
}
