import CambiumModel

/// The objects of a new table that come out of one old table.
struct TableOrigin {
    /// The old root entity, which names the old table.
    let oldRoot: Entity
    /// The entities of those objects.
    let members: [(old: Entity, new: Entity)]
}

// Objects keep their keys for as long as their root entity does. Where the objects of several roots
// come together, those of the first keep their keys, and those of the others get keys after all that
// were ever given there: each key is shifted by as much.
extension ModelMatch {
    /// The old tables that the rows of a new root entity come from; the first keeps its keys.
    func origins(of root: Entity) -> [TableOrigin] {
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
    func formers(of entity: Entity) -> [Entity] {
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

    /// SQL for what is added to the keys of an old entity's objects; nil where they stay, or go.
    /// It reads the old key table.
    package func keyShift(of oldEntity: Entity) -> String? {
        let earlier = precedingRoots(of: oldEntity)
        return earlier.isEmpty ? nil : Self.keyCount(of: earlier)
    }

    /// The old root entities whose keys come before those of an old entity's objects, which are
    /// shifted by as much; none where the keys stay, or the objects go.
    func precedingRoots(of oldEntity: Entity) -> [String] {
        guard mergesRoots, let newEntity = newEntity(of: oldEntity) else { return [] }
        let origins = origins(of: new.root(of: newEntity)).map(\.oldRoot.name)
        return Array(origins.prefix { $0 != old.root(of: oldEntity).name })
    }

    /// How many keys of some old root entities were given so far.
    static func keyCount(of oldRoots: [String]) -> String {
        let names = oldRoots.map { SQLText.literal(.text($0)) }.joined(separator: ", ")
        return "(SELECT sum(\"next\" - 1) FROM \"_keys\" WHERE \"entity\" IN (\(names)))"
    }

    /// SQL for the new key of an object, from SQL for the old one.
    ///
    /// - Parameter oldEntity: What the object is at least.
    func newKey(_ key: String, of oldEntity: Entity) -> String {
        guard mergesRoots else { return key }
        let shifts = old.family(of: oldEntity).filter { newEntity(of: $0) != nil }
            .map { (name: $0.name, shift: keyShift(of: $0)) }
        let different = Set(shifts.map(\.shift))
        guard different.count > 1 else {
            return different.first.flatMap { $0 }.map { "(\(key) + \($0))" } ?? key
        }
        let cases = shifts.compactMap { name, shift in
            shift.map { "WHEN \(SQLText.literal(.text(name))) THEN \($0)" }
        }
        let table = SQLText.identifier(old.root(of: oldEntity).name)
        return "(SELECT shifted.\"_id\" + CASE shifted.\"_entity\" "
            + "\(cases.joined(separator: " ")) ELSE 0 END FROM \(table) AS shifted "
            + "WHERE shifted.\"_id\" = \(key))"
    }

    /// Whether any object that an old entity's links may lead to gets another key.
    func shiftsKeys(of oldEntity: Entity) -> Bool {
        mergesRoots && old.family(of: oldEntity).contains { keyShift(of: $0) != nil }
    }

    /// The old root entities that any new table takes rows from, by its root entity.
    var oldRoots: [String: [String]] {
        Dictionary(
            new.roots.map { root in (root.name, origins(of: root).map(\.oldRoot.name)) },
            uniquingKeysWith: { first, _ in first })
    }
}
