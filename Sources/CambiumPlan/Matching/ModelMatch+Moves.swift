import CambiumModel

/// A property of the old version that has the values, or links, of one of the new version.
package struct PropertySource {
    /// The old entity that declares it, and its name there.
    package let old: ModelMatch.PropertyName
    /// The entities of the new version whose objects have their values from there.
    package let entities: [String]
}

// Objects inherit properties. A property that one entity declares may have been declared in an
// ancestor before, in several sub-entities, or in another hierarchy that its objects come from.
extension ModelMatch {
    /// Returns the sources of a property's values in an old store. Most properties have one source;
    /// a property that has moved up a hierarchy may have several.
    ///
    /// - Parameter entity: The entity of the new version that declares it.
    package func sources(of property: String, in entity: Entity) -> [PropertySource] {
        let name = PropertyName(entity: entity.name, property: property)
        var sources: [PropertySource] = []
        for member in new.family(of: entity) {
            guard let old = source(of: name, for: member) else { continue }
            if let index = sources.firstIndex(where: { $0.old == old }) {
                sources[index] = PropertySource(
                    old: old, entities: sources[index].entities + [member.name])
            } else {
                sources.append(PropertySource(old: old, entities: [member.name]))
            }
        }
        return sources
    }

    /// The relationship of the new version, and the entity that declares it, that has the links of
    /// one of the old version.
    package func successor(of property: PropertyName) -> (
        entity: Entity, relationship: Relationship
    )? {
        successors(of: property).first
    }

    /// Returns all successors of a relationship. If it has moved down a hierarchy, there may be
    /// several.
    func successors(of property: PropertyName) -> [(entity: Entity, relationship: Relationship)] {
        new.entities.flatMap { entity in
            entity.relationships.filter { relationship in
                sources(of: relationship.name, in: entity).contains { $0.old == property }
            }.map { (entity, $0) }
        }
    }

    /// The property of the old version that one of the new version is, in objects of an entity that
    /// declares or inherits it.
    @inline(never)
    package func source(of property: PropertyName, for entity: Entity) -> PropertyName? {
        if let moved = moves[entity.name]?[property] { return moved }
        guard let oldEntity = oldEntity(of: entity) else { return nil }
        return kept(property, by: oldEntity)
    }

    /// Returns the property of the old version, and its declaring entity, that is the source of the
    /// values or links of an entity's objects.
    package func origin(
        of property: String, in entity: Entity
    ) -> (entity: String, property: String)? {
        guard let declarer = new.declarer(of: property, in: entity) else { return nil }
        let name = PropertyName(entity: declarer.name, property: property)
        return source(of: name, for: entity).map { ($0.entity, $0.property) }
    }

    /// Returns the same if the declaring entity is unchanged.
    @inline(never)
    private func kept(_ property: PropertyName, by oldEntity: Entity) -> PropertyName? {
        guard let found = former(property), let declarer = old.entity(named: found.entity),
            old.entity(oldEntity, isKindOf: declarer), !isDropped(found, below: oldEntity)
        else { return nil }
        return found
    }

    /// Returns the properties that objects of an entity had from other declarations than they have
    /// them from now.
    func findMoves(of entity: Entity) -> [PropertyName: PropertyName] {
        guard let oldEntity = oldEntity(of: entity) else { return [:] }
        let lineage = new.lineage(of: entity)
        let oldLineage = old.lineage(of: oldEntity)
        guard lineage.count > 1 || oldLineage.count > 1,
            !lineage.allSatisfy({ unchanged.contains($0.name) })
        else { return [:] }
        var open: [(owner: Entity, name: String, from: String?, isAttribute: Bool)] = []
        var taken: Set<PropertyName> = []
        let names = Set(oldLineage.flatMap { $0.attributes.map { $0.name } })
        let former = formerNames(in: lineage, since: oldLineage, among: names)
        for owner in lineage {
            let attributes = owner.attributes.filter { !$0.isTransient && $0.derivation == nil }
                .map { ($0.name, former[$0.name], true) }
            let relationships = owner.relationships.filter { !$0.isTransient }
                .map { ($0.name, former[$0.name], false) }
            for (name, from, isAttribute) in attributes + relationships {
                let property = PropertyName(entity: owner.name, property: name)
                if let old = kept(property, by: oldEntity) {
                    taken.insert(old)
                } else {
                    open.append((owner, name, from, isAttribute))
                }
            }
        }
        var moves: [PropertyName: PropertyName] = [:]
        for isExplicit in [true, false] {
            for (owner, name, from, isAttribute) in open {
                let property = PropertyName(entity: owner.name, property: name)
                guard moves[property] == nil, let oldName = isExplicit ? from : name,
                    let declarer = oldLineage.first(where: {
                        $0.declares(oldName, isAttribute: isAttribute)
                    })
                else { continue }
                let old = PropertyName(entity: declarer.name, property: oldName)
                guard !taken.contains(old), !isDropped(old, below: oldEntity),
                    !isDropped(old, in: declarer, from: owner, isExplicit: isExplicit)
                else { continue }
                moves[property] = old
                taken.insert(old)
            }
        }
        return moves
    }

    // MARK: Lost properties

    /// Whether an inherited property is dropped for the objects of some sub-entities, including
    /// this one.
    func isDropped(_ property: PropertyName, below oldEntity: Entity) -> Bool {
        guard let drops = new.migration?.drops, !drops.isEmpty else { return false }
        return old.lineage(of: oldEntity).reversed().prefix { $0.name != property.entity }
            .contains { isDropped($0.name, property.property, in: $0) }
    }

    /// Whether a property of an entity is dropped. If an entity that is or was a sub-entity
    /// declares the property from now on, the property still exists there. A property with a
    /// declared former name still exists anywhere.
    func isDropped(
        _ property: PropertyName, in declarer: Entity, from owner: Entity, isExplicit: Bool
    ) -> Bool {
        guard isDropped(property.entity, property.property, in: declarer) else { return false }
        let successor = newEntity(of: declarer)
        if successor?.name == owner.name { return true }
        return !isExplicit && !isBelow(owner, declarer)
    }

    /// Whether an entity of the new version is below one of the old version, or was.
    func isBelow(_ entity: Entity, _ declarer: Entity) -> Bool {
        if let successor = newEntity(of: declarer), successor.name == entity.name { return false }
        return newEntity(of: declarer).map { new.entity(entity, isKindOf: $0) } ?? false
            || oldEntity(of: entity).map { old.entity($0, isKindOf: declarer) } ?? false
    }

    /// Returns the entities of the old version that still exist, but with objects that lose a
    /// property.
    package func losers(of property: PropertyName) -> [Entity] {
        guard let declarer = old.entity(named: property.entity) else { return [] }
        return old.family(of: declarer).filter { member in
            guard !member.isAbstract, let newMember = newEntity(of: member) else { return false }
            return !keeps(property, newMember)
        }
    }

    /// Whether objects of any entity have a property's values afterwards.
    @inline(never)
    func isKept(_ property: PropertyName) -> Bool {
        guard let declarer = old.entity(named: property.entity) else { return false }
        return old.family(of: declarer).contains { member in
            newEntity(of: member).map { keeps(property, $0) } ?? false
        }
    }

    @inline(never)
    private func keeps(_ property: PropertyName, _ newMember: Entity) -> Bool {
        if moves[newMember.name]?.values.contains(property) == true { return true }
        guard let name = successor(property), let owner = new.entity(named: name.entity),
            new.entity(newMember, isKindOf: owner)
        else { return false }
        return source(of: name, for: newMember) == property
    }
}

extension Entity {
    /// Whether a stored property of the name and kind is declared here.
    fileprivate func declares(_ name: String, isAttribute: Bool) -> Bool {
        isAttribute
            ? attributes.contains {
                $0.name == name && !$0.isTransient && $0.derivation == nil
            } : relationships.contains { $0.name == name && !$0.isTransient }
    }
}

/// The objects of a new table that come from one old table.
package struct TableOrigin {
    /// The old root entity. It names the old table.
    package let oldRoot: Entity
    /// The old and the new entities of the objects.
    package let members: [(old: Entity, new: Entity)]
}

// Objects keep their keys as long as their root entity stays the same. If the objects of several
// roots are combined, the objects of the first root keep their keys. The keys of each other root
// are shifted behind all keys that were ever used before it.
extension ModelMatch {
    /// The old tables that the rows of a new root entity come from; the first keeps its keys.
    package func origins(of root: Entity) -> [TableOrigin] {
        var order: [String] = []
        var members: [String: [(old: Entity, new: Entity)]] = [:]
        // The old entity of the root itself comes first, even before earlier declarations.
        if let oldRoot = oldEntity(of: root).map(old.root) { order.append(oldRoot.name) }
        for member in new.family(of: root) {
            guard let oldMember = oldEntity(of: member) else { continue }
            let name = old.root(of: oldMember).name
            if !order.contains(name) { order.append(name) }
            members[name, default: []].append((oldMember, member))
        }
        return order.compactMap { name in
            old.entity(named: name).map { TableOrigin(oldRoot: $0, members: members[name] ?? []) }
        }
    }

    /// Returns the old entities of an entity's objects. The first is the entity's own old entity.
    /// For each other old table with such objects, it is the most specific entity that all of them
    /// had in common.
    package func formers(of entity: Entity) -> [Entity] {
        let own = oldEntity(of: entity)
        var formers = [own].compactMap { $0 }
        for member in new.family(of: entity) {
            guard let former = oldEntity(of: member) else { continue }
            let root = old.root(of: former)
            guard let index = formers.firstIndex(where: { old.root(of: $0).name == root.name })
            else {
                formers.append(former)
                continue
            }
            if formers[index].name != own?.name, !old.entity(former, isKindOf: formers[index]) {
                formers[index] =
                    old.lineage(of: formers[index]).last {
                        old.entity(former, isKindOf: $0)
                    } ?? root
            }
        }
        return formers
    }

    /// Returns the old root entities with keys before the keys of an old entity's objects. These
    /// are shifted accordingly. The result is empty if the keys stay or the objects are deleted.
    package func precedingRoots(of oldEntity: Entity) -> [String] {
        guard mergesRoots, let newEntity = newEntity(of: oldEntity) else { return [] }
        let origins = origins(of: new.root(of: newEntity)).map { $0.oldRoot.name }
        return Array(origins.prefix { $0 != old.root(of: oldEntity).name })
    }

    /// Whether any object that an old entity's links may reference gets another key.
    package func shiftsKeys(of oldEntity: Entity) -> Bool {
        mergesRoots && old.family(of: oldEntity).contains { !precedingRoots(of: $0).isEmpty }
    }

    /// The old root entities that any new table takes rows from, by its root entity.
    package var oldRoots: [String: [String]] {
        Dictionary(
            firstOf: new.roots.map { root in
                (root.name, origins(of: root).map { $0.oldRoot.name })
            })
    }

    /// Returns the names of an old table's entities that are dropped while others still exist.
    package func droppedEntities(in oldTable: String) -> [String] {
        guard let root = old.entity(named: oldTable) else { return [] }
        let family = old.family(of: root)
        let dropped = family.filter { newEntity(of: $0) == nil }
        return dropped.count == family.count ? [] : dropped.map { $0.name }
    }
}
