import CambiumModel

/// The names that renamed things of a new version had in the old one.
///
/// A file is copied for the next version together with its former names. In the copy, these names
/// are obsolete. A thing that has the same name in both versions is the same thing, unless the new
/// version declares otherwise.
package struct FormerNames {
    /// A thing and its declared former name.
    package typealias Name = (name: String, renamedFrom: String?)

    private var names: [String: String] = [:]

    /// Finds the things that were renamed between two versions.
    ///
    /// - Parameters:
    ///   - new: The things of one kind in one place of the new version.
    ///   - old: The elements of the old version.
    ///   - others: The things of the old version in other places. A thing may have moved from there
    ///     under its former name.
    ///   - isDropped: Whether an old thing is dropped, so that another one can take its name.
    package init(
        _ new: [Name], since old: [Name], besides others: @autoclosure () -> [Name] = [],
        isDropped: (String) -> Bool
    ) {
        guard new.contains(where: { $0.renamedFrom != nil }) else { return }
        let former = Dictionary(firstOf: old.map { ($0.name, $0) })
        let known = Dictionary(firstOf: (old + others()).map { ($0.name, $0) })
        for case (let name, let from?) in new where former[from] != nil {
            // If the previous version already declares the same, the renaming happened earlier.
            let isCarriedOn = known[name]?.renamedFrom == from
            if !isCarriedOn || isDropped(name) { names[name] = from }
        }
        let present = Set(new.map { $0.name })
        let taken = Set(names.values)
        names = names.filter { name, from in
            // Both names still exist, and no declaration says that either was renamed.
            let isAsBefore =
                known[name] != nil && present.contains(from) && names[from] == nil
                && !taken.contains(name) && !isDropped(name)
            return !isAsBefore
        }
    }

    /// Returns the former name of a thing; nil if it is new or was not renamed.
    package subscript(name: String) -> String? { names[name] }

    /// Returns the new thing with a former name.
    package func successor(of oldName: String) -> String? {
        names.first { $0.value == oldName }?.key
    }
}

extension FormerNames {
    /// Finds the former names of a version's entities.
    ///
    /// - Parameter dropped: The dropped entities of the old version.
    package init(ofEntitiesOf new: Model, since old: Model, dropped: Set<String>) {
        self.init(
            new.entities.map { ($0.name, $0.renamedFrom) },
            since: old.entities.map { ($0.name, $0.renamedFrom) },
            isDropped: { dropped.contains($0) })
    }
}

extension MigrationDeclaration {
    /// The entities of the old version that are dropped with all their objects.
    package var droppedEntities: Set<String> {
        Set(drops.filter { $0.property == nil && $0.condition == nil }.map { $0.entity })
    }
}

extension ModelMatch {
    /// Finds the former names of the properties that an entity declares or inherits.
    ///
    /// - Parameters:
    ///   - lineage: The entity and its ancestors.
    ///   - oldLineage: The lineage of the old entity.
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
                // A property that a sub-entity declares from now on still exists there.
                lineage.filter { $0.declares(name) }.allSatisfy { owner in
                    isDropped(
                        PropertyName(entity: declarer.name, property: name), in: declarer,
                        from: owner, isExplicit: false)
                }
            }
        }
    }

    /// Returns the other old entities of the objects that are, or inherit from, the same entities
    /// as an entity's objects. Its properties may have been declared there.
    func oldRelatives(of entity: Entity) -> [Entity] {
        let own = oldEntity(of: entity)?.name
        let members = (new.lineage(of: entity) + new.family(of: entity)).compactMap(oldEntity)
        var names: Set<String> = []
        return members.flatMap(old.lineage).filter {
            $0.name != own && names.insert($0.name).inserted
        }
    }

    /// Returns the attributes of an entity with their declared former names.
    func attributeNames(of entity: Entity, among names: Set<String>) -> [FormerNames.Name] {
        entity.attributes.map { attribute in
            guard let former = formerName(of: attribute, in: entity, among: names) else {
                return (attribute.name, nil)
            }
            let isElsewhere = followsValue(attribute, in: entity) && isOnItsOwn(former, in: entity)
            return (attribute.name, isElsewhere ? nil : former)
        }
    }

    /// Whether an attribute is renamed only because it is part of a renamed value.
    func followsValue(_ attribute: Attribute, in entity: Entity) -> Bool {
        guard let former = attribute.renamedFrom,
            let around = entity.compositeAttributes.first(where: {
                $0.contains(attribute) && !$0.isNested
            }), let place = around.renamedFrom
        else { return false }
        return former == place + attribute.name.dropFirst(around.name.count)
    }

    /// Whether a part of an old value is declared as moved or dropped by itself, so that it does
    /// not follow the value.
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

    /// Returns the declared former name of an attribute. A part of a composite value follows the
    /// value. If the part declares a former name of its own, that is a name within the value.
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

    /// Returns the same for a composite value, nested or not.
    private func formerName(of composite: CompositeAttribute, in entity: Entity) -> String? {
        if let former = composite.renamedFrom, former.contains(".") { return former }
        guard let dot = composite.name.lastIndex(of: ".") else { return composite.renamedFrom }
        let outer = composite.name[..<dot]
        let around = entity.compositeAttribute(named: String(outer))
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
        let found = oldEntity.compositeAttribute(named: name)
        return found.flatMap { isDropped(oldEntity.name, $0.name) ? nil : $0 }
    }
}

extension Entity {
    /// Whether an attribute or a relationship of the name is declared here.
    package func declares(_ name: String) -> Bool {
        attributes.contains { $0.name == name } || relationships.contains { $0.name == name }
    }
}

// If two declarations contradict each other, neither is applied, because one of them destroys data.
extension ModelMatch {
    /// Things that live on under another name, and that the migration drops.
    var contradictions: [MigrationProblem] {
        guard new.migration?.drops.isEmpty == false else { return [] }
        var found: [MigrationProblem] = []
        for entity in new.entities {
            if let from = formerEntities[entity.name], isDropped(from, nil) {
                found.append(renamedAndDropped(entity.name, from, in: entity))
            }
            guard let oldEntity = oldEntity(of: entity) else { continue }
            for (name, from) in renamedProperties(of: entity, since: oldEntity)
            where givesUp(from, of: oldEntity) {
                // A composite value is dropped as a whole, and so are its parts.
                let (whole, former) = wholes(of: name, in: entity, from, in: oldEntity)
                let problem = renamedAndDropped(
                    "\(entity.name).\(whole)", "\(oldEntity.name).\(former)", in: entity,
                    property: whole)
                if !found.contains(problem) { found.append(problem) }
            }
        }
        return found
    }

    /// Whether the migration drops a property that an entity declared or inherited, at the entity
    /// or at an ancestor up to the declaring one.
    private func givesUp(_ property: String, of oldEntity: Entity) -> Bool {
        guard let declarer = old.declarer(of: property, in: oldEntity),
            declarer.name != oldEntity.name
        else { return isDropped(oldEntity.name, property, in: oldEntity) }
        return isDropped(.init(entity: declarer.name, property: property), below: oldEntity)
    }

    /// Returns the problem that two things of the new version declare the same former name.
    func severalSuccessors(
        _ name: String, _ other: String, of from: String, in entity: Entity, property: String? = nil
    ) -> MigrationProblem {
        let place = property == nil ? "" : "\(entity.name)."
        return MigrationProblem(
            entity: entity.name, property: property,
            fact: """
                \(place)\(name) and \(place)\(other) both say that they were '\(from)' in \
                version \(old.version), and only one of them can have been
                """,
            remedy: "remove renamedFrom at the other",
            disputed: .init(name: other, former: from))
    }

    private func renamedAndDropped(
        _ name: String, _ from: String, in entity: Entity, property: String? = nil
    ) -> MigrationProblem {
        MigrationProblem(
            entity: entity.name, property: property,
            fact:
                """
                \(name) says that it was \(from) in version \(old.version), and the migration \
                drops that
                """,
            remedy: """
                remove the drop to keep the data, or remove \
                renamedFrom to delete it
                """)
    }

    /// Returns the properties that an entity declares and that were renamed, with their former
    /// names.
    private func renamedProperties(
        of entity: Entity, since oldEntity: Entity
    ) -> [(name: String, from: String)] {
        let oldLineage = old.lineage(of: oldEntity)
        let names = Set(oldLineage.flatMap { $0.attributes.map { $0.name } })
        let own =
            attributeNames(of: entity, among: names)
            + entity.relationships.map { ($0.name, $0.renamedFrom) }
        guard own.contains(where: { $0.renamedFrom != nil }) else { return [] }
        let former = formerNames(in: new.lineage(of: entity), since: oldLineage, among: names)
        return own.compactMap { name, _ in former[name].map { (name, $0) } }
    }

    private func wholes(
        of name: String, in entity: Entity, _ from: String, in oldEntity: Entity
    ) -> (String, String) {
        let composite = entity.compositeAttributes.first { !$0.isNested && $0.holds(name) }
        let former = oldEntity.compositeAttributes.first { !$0.isNested && $0.holds(from) }
        guard let composite, let former else { return (name, from) }
        return (composite.name, former.name)
    }
}

extension CompositeAttribute {
    /// Whether a name is that of a part of the value.
    fileprivate func holds(_ part: String) -> Bool { part.hasPrefix(name + ".") }
}
