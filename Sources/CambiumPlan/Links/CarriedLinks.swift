import CambiumModel

/// The old links that become those of a relationship of the new version: of the relationship that
/// it was, or of its inverse; of several where they have moved up a hierarchy.
package final class CarriedLinks {
    /// The old relationships, at least one.
    package let sets: [OldLinks]
    /// The same, with those of the other end where both ends have links of their own.
    package let all: [OldLinks]
    /// The old relationships, where both ends have links of their own that are not the same.
    package let conflict: [ModelMatch.PropertyName]?
    /// What the author says about which links stay, by the end that can have only one.
    package let keeps: (source: MigrationDeclaration.Keep?, destination: MigrationDeclaration.Keep?)
    /// Whether what the author says about the destinations comes first.
    package let keepsDestinationsFirst: Bool
    private let relationship: Relationship
    private let inverse: (relationship: Relationship, entity: Entity)?

    /// Finds the links, or nil where the relationship and its inverse are both new.
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
        let stranger = own.first { one in
            !others.isEmpty && !others.contains { $0.relationship.name == one.relationship.inverse }
        }
        conflict = stranger.map { one in
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

    /// The links, where they come from one relationship and all stay.
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
            forward: hasSeveralDestinations || sets.contains(where: \.wasToMany.forward),
            backward: hasSeveralSources || sets.contains(where: \.wasToMany.backward)
        )
        return (
            wasToMany.forward && !relationship.isToMany,
            wasToMany.backward && !(inverse?.relationship.isToMany ?? true)
        )
    }
}

extension Relationship {
    /// Whether what an object of the entity, which declares it, is linked to is linked to that object.
    package func isOwnInverse(in entity: Entity) -> Bool {
        destination == entity.name && inverse == name
    }
}
