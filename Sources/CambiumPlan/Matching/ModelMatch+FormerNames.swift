import CambiumModel

extension ModelMatch {
    /// What the properties that an entity declares or inherits were called.
    ///
    /// - Parameters:
    ///   - lineage: The entity and those that it inherits from.
    ///   - oldLineage: The same of what it was.
    ///   - names: The old attributes.
    func formerNames(
        in lineage: [Entity], since oldLineage: [Entity], among names: Set<String>
    ) -> FormerNames {
        func all(_ lineage: [Entity]) -> [FormerNames.Name] {
            lineage.flatMap { owner in
                attributeNames(of: owner, among: names)
                    + owner.relationships.map { ($0.name, $0.renamedFrom) }
            }
        }
        return FormerNames(all(lineage), since: all(oldLineage)) { name in
            oldLineage.contains { declarer in
                // What an entity below declares from now on lives on there.
                lineage.filter { $0.declares(name) }.allSatisfy { owner in
                    isDropped(
                        PropertyName(entity: declarer.name, property: name), in: declarer,
                        from: owner, isExplicit: false)
                }
            }
        }
    }

    /// The other entities of the old version whose objects are, or inherit from, the same as those of
    /// an entity: what it declares may have been declared there.
    func oldRelatives(of entity: Entity) -> [Entity] {
        let own = oldEntity(of: entity)?.name
        let members = (new.lineage(of: entity) + new.family(of: entity)).compactMap(oldEntity)
        var names: Set<String> = []
        return members.flatMap(old.lineage).filter {
            $0.name != own && names.insert($0.name).inserted
        }
    }

    /// The attributes of an entity with the names that they say they had.
    func attributeNames(of entity: Entity, among names: Set<String>) -> [FormerNames.Name] {
        entity.attributes.map { attribute in
            guard let former = formerName(of: attribute, in: entity, among: names) else {
                return (attribute.name, nil)
            }
            let isElsewhere = followsValue(attribute, in: entity) && isOnItsOwn(former, in: entity)
            return (attribute.name, isElsewhere ? nil : former)
        }
    }

    /// Whether an attribute is said to be another one only because it is part of a value that is.
    func followsValue(_ attribute: Attribute, in entity: Entity) -> Bool {
        guard let former = attribute.renamedFrom,
            let around = entity.compositeAttributes.first(where: {
                $0.contains(attribute) && !$0.isNested
            }), let place = around.renamedFrom
        else { return false }
        return former == place + attribute.name.dropFirst(around.name.count)
    }

    /// Whether what is said of a part of an old value alone keeps it from following the value.
    private func isOnItsOwn(_ part: String, in entity: Entity) -> Bool {
        guard let oldEntity = oldEntity(of: entity) else { return false }
        // A drop of all parts is one of the value.
        let isDroppedAlone =
            isDropped(oldEntity.name, part)
            && oldEntity.compositeAttributes.contains { value in
                !value.isNested && part.hasPrefix(value.name + ".")
                    && oldEntity.attributes.contains {
                        value.contains($0) && !isDropped(oldEntity.name, $0.name)
                    }
            }
        return isDroppedAlone
            || entity.attributes.contains { other in
                other.renamedFrom == part && !followsValue(other, in: entity)
            }
    }

    /// The name that an attribute says it had. A part of a composite value follows the value; its
    /// own former name, where it has one, is that within the value.
    private func formerName(
        of attribute: Attribute, in entity: Entity, among names: Set<String>
    ) -> String? {
        let around = entity.compositeAttributes.filter { $0.contains(attribute) }
            .max { $0.name.utf8.count < $1.name.utf8.count }
        guard let around else { return attribute.renamedFrom }
        let place = formerName(of: around, in: entity)
        let leaf = attribute.name.dropFirst(around.name.count + 1)
        if place == nil, attribute.renamedFrom == nil { return nil }
        let own = attribute.renamedFrom
        let former =
            own.flatMap { $0.contains(".") ? $0 : nil }
            ?? "\(place ?? around.name).\(own ?? String(leaf))"
        if names.contains(former) { return former }
        // An attribute that has moved into the value.
        if let own, names.contains(own) { return own }
        // A part that the renamed value did not have is new.
        return place.map { former == "\($0).\(leaf)" } ?? false ? nil : former
    }

    /// The same for a composite value, which may lie within another.
    private func formerName(of composite: CompositeAttribute, in entity: Entity) -> String? {
        if let former = composite.renamedFrom, former.contains(".") { return former }
        guard let dot = composite.name.lastIndex(of: ".") else { return composite.renamedFrom }
        let outer = composite.name[..<dot]
        let around = entity.compositeAttributes.first { $0.name == outer }
        let place = around.flatMap { formerName(of: $0, in: entity) }
        if place == nil, composite.renamedFrom == nil { return nil }
        let leaf = composite.name[dot...].dropFirst()
        return "\(place ?? String(outer)).\(composite.renamedFrom ?? String(leaf))"
    }

    /// The composite value of the old version that one of the new version is.
    func oldComposite(of composite: CompositeAttribute, in entity: Entity) -> CompositeAttribute? {
        guard let oldEntity = oldEntity(of: entity) else { return nil }
        let former = FormerNames(
            entity.compositeAttributes.map { ($0.name, formerName(of: $0, in: entity)) },
            since: oldEntity.compositeAttributes.map {
                ($0.name, formerName(of: $0, in: oldEntity))
            },
            besides: oldRelatives(of: entity).flatMap { relative in
                relative.compositeAttributes.map { ($0.name, formerName(of: $0, in: relative)) }
            }, isDropped: { isDropped(oldEntity.name, $0) })
        let name = former[composite.name] ?? composite.name
        let found = oldEntity.compositeAttributes.first { $0.name == name }
        return found.flatMap { isDropped(oldEntity.name, $0.name) ? nil : $0 }
    }
}

extension Entity {
    /// Whether an attribute or a relationship of the name is declared here.
    package func declares(_ name: String) -> Bool {
        attributes.contains { $0.name == name } || relationships.contains { $0.name == name }
    }
}
