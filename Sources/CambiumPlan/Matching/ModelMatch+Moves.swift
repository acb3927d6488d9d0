import CambiumModel

/// A property of the old version that has the values, or links, of one of the new version.
package struct PropertySource {
    /// The old entity that declares it, and its name there.
    package let old: ModelMatch.PropertyName
    /// The entities of the new version whose objects have them from there.
    package let entities: [String]
}

// Objects inherit properties, so that what is declared in one entity may have been declared above
// it before, or in several entities below it, or in another hierarchy that its objects come from.
extension ModelMatch {
    /// Where the values of a property of the new version are in an old store: in one place in most
    /// models, in several where it has moved up.
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
    package func heir(of property: PropertyName) -> (entity: Entity, relationship: Relationship)? {
        heirs(of: property).first
    }

    /// All of them: where it has moved down a hierarchy, there may be several.
    func heirs(of property: PropertyName) -> [(entity: Entity, relationship: Relationship)] {
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

    /// The property of the old version, and the entity that declared it, whose values or links the
    /// objects of an entity have at a property.
    package func origin(
        of property: String, in entity: Entity
    ) -> (entity: String, property: String)? {
        guard let declarer = new.declarer(of: property, in: entity) else { return nil }
        let name = PropertyName(entity: declarer.name, property: property)
        return source(of: name, for: entity).map { ($0.entity, $0.property) }
    }

    /// The same where the declaring entity is the one that it was.
    @inline(never)
    private func kept(_ property: PropertyName, by oldEntity: Entity) -> PropertyName? {
        guard let found = former(property), let declarer = old.entity(named: found.entity),
            old.entity(oldEntity, isKindOf: declarer), !isGivenUp(found, below: oldEntity)
        else { return nil }
        return found
    }

    /// The properties that objects of an entity had from other declarations than those that they
    /// have them from now.
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
                guard !taken.contains(old), !isGivenUp(old, below: oldEntity),
                    !isDropped(old, in: declarer, from: owner, isExplicit: isExplicit)
                else { continue }
                moves[property] = old
                taken.insert(old)
            }
        }
        return moves
    }

    // MARK: What is lost

    /// Whether the author gives up an inherited property for the objects of some sub-entities, of
    /// which this is one.
    func isGivenUp(_ property: PropertyName, below oldEntity: Entity) -> Bool {
        guard let drops = new.migration?.drops, !drops.isEmpty else { return false }
        return old.lineage(of: oldEntity).reversed().prefix { $0.name != property.entity }
            .contains { isDropped($0.name, property.property, in: $0) }
    }

    /// Whether the author gives up a property of an entity. What an entity declares from now on that
    /// is below it, or was, lives on there, and what says that it was renamed does anywhere.
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

    /// The entities of the old version that live on and whose objects lose a property.
    package func losers(of property: PropertyName) -> [Entity] {
        guard let declarer = old.entity(named: property.entity) else { return [] }
        return old.family(of: declarer).filter { member in
            guard !member.isAbstract, let newMember = newEntity(of: member) else { return false }
            return !keeps(property, newMember)
        }
    }

    /// Whether objects of any entity have a property's values afterwards.
    @inline(never)
    func livesOn(_ property: PropertyName) -> Bool {
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

/// The objects of a new table that come out of one old table.
package struct TableOrigin {
    /// The old root entity, which names the old table.
    package let oldRoot: Entity
    /// The entities of those objects.
    package let members: [(old: Entity, new: Entity)]
}

// Objects keep their keys for as long as their root entity does. Where the objects of several roots
// come together, those of the first keep their keys, and those of the others get keys after all that
// were ever given there: each key is shifted by as much.
extension ModelMatch {
    /// The old tables that the rows of a new root entity come from; the first keeps its keys.
    package func origins(of root: Entity) -> [TableOrigin] {
        var order: [String] = []
        var members: [String: [(old: Entity, new: Entity)]] = [:]
        // What the root itself was comes first, whatever stands before it.
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

    /// What objects of an entity were: what the entity was, and for each other old table that has
    /// such objects the entity that all of them there were at least.
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

    /// The old root entities whose keys come before those of an old entity's objects, which are
    /// shifted by as much; none where the keys stay, or the objects go.
    package func precedingRoots(of oldEntity: Entity) -> [String] {
        guard mergesRoots, let newEntity = newEntity(of: oldEntity) else { return [] }
        let origins = origins(of: new.root(of: newEntity)).map { $0.oldRoot.name }
        return Array(origins.prefix { $0 != old.root(of: oldEntity).name })
    }

    /// Whether any object that an old entity's links may lead to gets another key.
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

    /// The names of entities of an old table whose objects are dropped while others live on.
    package func droppedEntities(in oldTable: String) -> [String] {
        guard let root = old.entity(named: oldTable) else { return [] }
        let family = old.family(of: root)
        let dropped = family.filter { newEntity(of: $0) == nil }
        return dropped.count == family.count ? [] : dropped.map { $0.name }
    }
}
