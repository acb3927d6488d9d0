import CambiumModel

/// The old links that become the links of a relationship in the new version. They come from the old
/// relationship or its inverse. If relationships have moved up a hierarchy, they come from several.
package final class CarriedLinks {
    /// The old relationships, at least one.
    package let sets: [OldLinks]
    /// The old relationships, including the ones of the other end if both ends have different
    /// links.
    package let all: [OldLinks]
    /// The old relationships of both ends, if they have different links; otherwise nil.
    package let conflict: [ModelMatch.PropertyName]?
    /// The author's declarations of the links to keep, by the end that can have only one.
    package let keeps: (source: MigrationDeclaration.Keep?, destination: MigrationDeclaration.Keep?)
    /// Whether the declaration about the destinations comes first.
    package let keepsDestinationsFirst: Bool
    private let relationship: Relationship
    private let inverse: (relationship: Relationship, entity: Entity)?

    /// Finds the links, or nil if the relationship and its inverse are both new.
    package init?(of relationship: Relationship, of entity: Entity, in match: ModelMatch) {
        let own = OldLinks.links(of: relationship.name, in: entity, isSwapped: false, match)
        let inverse = match.new.inverse(of: relationship)
        let others =
            inverse.map {
                OldLinks.links(of: $0.relationship.name, in: $0.entity, isSwapped: true, match)
            } ?? []
        sets = own.isEmpty ? others : own
        all = own + others
        guard !sets.isEmpty else { return nil }
        self.relationship = relationship
        self.inverse = inverse
        let conflicting = own.first { one in
            !others.isEmpty && !others.contains { $0.relationship.name == one.relationship.inverse }
        }
        conflict = conflicting.map { one in
            [one, others[0]].map { .init(entity: $0.entity.name, property: $0.relationship.name) }
        }
        let declared = match.new.migration?.keeps ?? []
        func number(_ name: String, of entity: String) -> Int? {
            declared.firstIndex { $0.entity == entity && $0.relationship == name }
        }
        let numbers = (
            source: number(relationship.name, of: entity.name),
            destination: inverse.flatMap { number($0.relationship.name, of: $0.entity.name) }
        )
        keeps = (numbers.source.map { declared[$0] }, numbers.destination.map { declared[$0] })
        keepsDestinationsFirst = (numbers.destination ?? .max) < (numbers.source ?? .max)
    }

    /// The links, if they come from one relationship and all stay; otherwise nil.
    package var single: OldLinks? {
        sets.count == 1 && keeps.source == nil && keeps.destination == nil ? sets[0] : nil
    }

    /// Whether the links come from the relationship itself, and not from its inverse.
    var isOwn: Bool { sets.allSatisfy { !$0.isSwapped } }

    /// The ends that hold fewer objects than before: that of the sources, that of the destinations.
    var losesLinks: (ofSource: Bool, ofDestination: Bool) {
        // An object of the entity that declared the relationships has the links of one of them.
        let hasSeveralSources = sets.count > 1 && isOwn
        let hasSeveralDestinations = sets.count > 1 && !isOwn
        let wasToMany = (
            forward: hasSeveralDestinations || sets.contains { $0.wasToMany.forward },
            backward: hasSeveralSources || sets.contains { $0.wasToMany.backward }
        )
        return (
            wasToMany.forward && !relationship.isToMany,
            wasToMany.backward && !(inverse?.relationship.isToMany ?? true)
        )
    }
}

extension Relationship {
    /// Whether the relationship is its own inverse, so that B references A if A references B.
    package func isOwnInverse(in entity: Entity) -> Bool {
        destination == entity.name && inverse == name
    }
}

/// The links of one relationship of the old version, as a relationship of the new version sees
/// them: the one that it was, or the inverse of that.
package final class OldLinks {
    /// The old relationship.
    package let relationship: Relationship
    /// The old entity that declares it.
    package let entity: Entity
    /// Whether the old relationship is the inverse, so that sources and destinations are swapped.
    package let isSwapped: Bool
    /// The old entities of the objects that have these links; nil if all objects have them.
    package let owners: [String]?
    /// The old entities of the objects at the other end, if objects of its other entities may no
    /// longer exist; otherwise nil.
    package let members: [String]?
    /// Whether an object at the other end may still exist and is a valid destination of the new
    /// relationship.
    package let hasMembers: Bool
    package let match: ModelMatch

    private init(
        _ relationship: Relationship, of entity: Entity, isSwapped: Bool, owners: [String]?,
        members: [String]?, hasMembers: Bool, in match: ModelMatch
    ) {
        self.relationship = relationship
        self.entity = entity
        self.isSwapped = isSwapped
        self.owners = owners
        self.members = members
        self.hasMembers = hasMembers
        self.match = match
    }

    /// Finds the links of a relationship that `entity`, of the new version, declares.
    static func links(
        of name: String, in entity: Entity, isSwapped: Bool, _ match: ModelMatch
    ) -> [OldLinks] {
        let newEnd = entity.relationship(named: name)
            .flatMap { match.new.entity(named: $0.destination) }
        return match.sources(of: name, in: entity).compactMap { source in
            guard let owner = match.old.entity(named: source.old.entity),
                let relationship = owner.relationship(named: source.old.property),
                !relationship.isTransient
            else { return nil }
            return OldLinks(
                relationship, of: owner, isSwapped: isSwapped,
                owners: match.partialOwners(of: source),
                members: match.partialMembers(of: relationship, at: newEnd),
                hasMembers: match.hasMembers(relationship, at: newEnd), in: match)
        }
    }

    /// The old entity of the objects at the other end.
    package var destination: Entity? { match.old.entity(named: relationship.destination) }

    /// The old relationship, and its inverse if it had one.
    package var ends: Set<ModelMatch.PropertyName> { match.old.ends(of: relationship, entity) }

    /// The storage of the links in the old store.
    package var storage: RelationshipStorage {
        match.old.storage(of: relationship, of: entity)
    }

    /// The old column of the row of the new relationship's object that holds the key, if one does.
    package var keyOfSource: (column: String, entityColumn: String?)? {
        guard case .key(let column, let entityColumn) = storage, !isSwapped else { return nil }
        return (column, entityColumn)
    }

    /// The old table of the entity that declares the old relationship.
    package var table: String { match.old.root(of: entity).name }

    /// The old table of the objects at the other end.
    package var destinationTable: String {
        destination.map { match.old.root(of: $0).name } ?? relationship.destination
    }

    /// Whether an end of the new relationship may have had several objects.
    var wasToMany: (forward: Bool, backward: Bool) {
        let inverse = match.old.inverse(of: relationship)?.relationship
        let (forward, backward) = (relationship.isToMany, inverse?.isToMany ?? true)
        return isSwapped ? (backward, forward) : (forward, backward)
    }

    /// The old columns of the positions in the lists of the sources and of the destinations, from
    /// the view of the new relationship. They are in the table of the links.
    package var positions: (ofSource: String?, ofDestination: String?) {
        let forward = match.old.positionColumn(of: relationship, of: entity)
        let backward = match.old.inverse(of: relationship).flatMap {
            match.old.positionColumn(of: $0.relationship, of: $0.entity)
        }
        return isSwapped ? (backward, forward) : (forward, backward)
    }

    /// Whether the old row of the object at the other end holds the key.
    package var isKeyOfDestination: Bool {
        switch storage {
        case .key: isSwapped
        case .inverseKey: !isSwapped
        case .joinTable, .transient: false
        }
    }

    /// Whether objects at an end are dropped, or get other keys.
    package var changesKeys: Bool {
        [table, destinationTable].contains { !match.droppedEntities(in: $0).isEmpty }
            || match.shiftsKeys(of: entity) || destination.map(match.shiftsKeys) ?? false
    }
}

extension ModelMatch {
    /// Returns the old entities of a source's objects if other entities of the same parent still
    /// exist too; otherwise nil.
    package func partialOwners(of source: PropertySource) -> [String]? {
        guard let declarer = old.entity(named: source.old.entity) else { return nil }
        let kept = old.family(of: declarer).filter { newEntity(of: $0) != nil }
        let owners = kept.filter { member in
            newEntity(of: member).map { source.entities.contains($0.name) } ?? false
        }
        return owners.count == kept.count ? nil : owners.map { $0.name }
    }

    /// Returns the old destinations of a relationship that are now `end` or below it, if other
    /// destinations still exist too; otherwise nil.
    package func partialMembers(of relationship: Relationship, at end: Entity?) -> [String]? {
        guard let end else { return nil }
        let kept = keptMembers(of: relationship)
        let members = kept.filter { isKind($0, of: end) }
        return members.count == kept.count ? nil : members.map { $0.name }
    }

    /// Whether an old destination of a relationship is now `end` or below it.
    func hasMembers(_ relationship: Relationship, at end: Entity?) -> Bool {
        guard let end else { return true }
        return keptMembers(of: relationship).contains { isKind($0, of: end) }
    }

    /// Returns the old destinations of a relationship that still exist.
    private func keptMembers(of relationship: Relationship) -> [Entity] {
        (old.entity(named: relationship.destination).map(old.family) ?? []).filter {
            !$0.isAbstract && newEntity(of: $0) != nil
        }
    }

    private func isKind(_ oldEntity: Entity, of end: Entity) -> Bool {
        newEntity(of: oldEntity).map { new.entity($0, isKindOf: end) } ?? false
    }
}

extension Model {
    /// A relationship and its inverse, if it has one.
    package func ends(
        of relationship: Relationship, _ entity: Entity
    ) -> Set<ModelMatch.PropertyName> {
        let inverse = inverse(of: relationship).map {
            ModelMatch.PropertyName(entity: $0.entity.name, property: $0.relationship.name)
        }
        let own = ModelMatch.PropertyName(entity: entity.name, property: relationship.name)
        return Set([own, inverse].compactMap { $0 })
    }
}
