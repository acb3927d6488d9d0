import CambiumModel

extension ModelDifference {
    /// Values of another type are converted where each is sure to survive, or to be refused.
    func compareTypes(
        _ old: Attribute, _ new: Attribute, of entity: Entity, givenUpIn owner: String? = nil
    ) {
        guard
            let conversion = AttributeConversion(
                from: old, in: self.old, to: new, in: self.new)
        else {
            let place = owner ?? match.oldEntity(of: entity)?.name ?? entity.name
            // What has another name, or is gone, is no value of the new attribute.
            let isEmpty =
                !new.isOptional && new.defaultValue == nil
                && match.fill(of: new.name, in: entity.name) == nil
            let fill = MigrationFix.fill([new.name], of: entity.name)
            // It cannot be said to be the old one at the same time.
            let isRenamed = new.renamedFrom != nil && !match.followsValue(new, in: entity)
            let taken: [MigrationFix] =
                isRenamed ? [.takeBack(.attribute, name: new.name, from: old.name)] : []
            func parted(_ fix: MigrationFix, isFilled: Bool = true) -> MigrationFix {
                let fixes = [fix] + taken + (isEmpty && isFilled ? [fill] : [])
                return fixes.count > 1 ? .together(fixes) : fix
            }
            addProblem(
                entity: entity.name, property: new.name,
                fact: """
                    \(entity.name).\(new.name) changes its type from \(words(for: old.type)) to \
                    \(words(for: new.type)), and not every value is sure to survive
                    """,
                remedy: """
                    keep the old values under another name, let a step of the program convert \
                    them, or drop them
                    """,
                fixes: [
                    parted(.rename(.attribute, to: nil, from: old.name)),
                    parted(.convert(entity: place, property: old.name), isFilled: false),
                    parted(.drop(entity: place, property: old.name)),
                ])
            return
        }
        if old.type != new.type, !conversion.isSameThing {
            add(
                .attributeConverted(
                    entity: entity.name, new.name, to: words(for: new.type),
                    isChecked: conversion.fits != nil))
        }
    }

    private func words(for type: AttributeType) -> String {
        switch type {
        case .decimal(let scale): "decimal (scale \(scale))"
        case .anyDecimal: "decimal (any scale)"
        case .codable(let name): "codable (\(name))"
        default: type.word
        }
    }
}
