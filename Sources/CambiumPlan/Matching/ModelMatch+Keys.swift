import CambiumModel

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
        var formers = [own].compactMap(\.self)
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
        let origins = origins(of: new.root(of: newEntity)).map(\.oldRoot.name)
        return Array(origins.prefix { $0 != old.root(of: oldEntity).name })
    }

    /// Whether any object that an old entity's links may lead to gets another key.
    package func shiftsKeys(of oldEntity: Entity) -> Bool {
        mergesRoots && old.family(of: oldEntity).contains { !precedingRoots(of: $0).isEmpty }
    }

    /// The old root entities that any new table takes rows from, by its root entity.
    package var oldRoots: [String: [String]] {
        Dictionary(
            new.roots.map { root in (root.name, origins(of: root).map(\.oldRoot.name)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The names of entities of an old table whose objects are dropped while others live on.
    package func droppedEntities(in oldTable: String) -> [String] {
        guard let root = old.entity(named: oldTable) else { return [] }
        let family = old.family(of: root)
        let dropped = family.filter { newEntity(of: $0) == nil }
        return dropped.count == family.count ? [] : dropped.map(\.name)
    }
}
