import CambiumRecords

extension ExchangePlan {
    /// An attribute or a relationship that files have.
    enum Property {
        case attribute(ExchangeAttribute)
        case relationship(RelationshipDescription)

        var name: String {
            switch self {
            case .attribute(let attribute): attribute.attribute.name
            case .relationship(let relationship): relationship.relationship.name
            }
        }
    }

    /// What an import takes: everything that can be set and is in the store.
    static func importable(_ entity: EntityDescription) -> [Property] {
        attributes(of: entity) { $0.derivation == nil }
            + entity.relationships.filter { !$0.isTransient }.map(Property.relationship)
    }

    /// What an export writes unless it is told: each value and each link once, so that an import
    /// brings all of them back. A link is written where its key, its pair or its place is kept.
    static func exportable(_ entity: EntityDescription) -> [Property] {
        attributes(of: entity) { $0.derivation == nil }
            + entity.relationships.filter { relationship in
                guard !relationship.isTransient else { return false }
                return relationship.slot != nil || relationship.isOrdered
                    || (relationship.ownsPairs && !isOrderedFromAfar(relationship, entity))
            }.map(Property.relationship)
    }

    /// What an export was asked to write, as far as the entity has it.
    static func named(_ names: [String], of entity: EntityDescription) -> [Property] {
        let known = known(of: entity)
        return names.flatMap { name in known.filter { isMeant($0, by: name) } }
    }

    /// Makes sure that what an export was asked to write exists.
    ///
    /// - Parameters:
    ///   - entity: The entity that an error names.
    ///   - family: The entities that may have the properties.
    static func checkExported(
        _ names: [String], of entity: EntityDescription, _ family: [EntityDescription]
    ) throws {
        let known = family.flatMap(known)
        guard
            let unknown = names.first(where: { name in
                !known.contains { isMeant($0, by: name) }
            })
        else { return }
        throw StoreError.unknownName(
            "The entity \(entity.name) has no property \(unknown) that a file can have.", unknown,
            among: known.map(\.name))
    }

    private static func known(of entity: EntityDescription) -> [Property] {
        attributes(of: entity) { _ in true }
            + entity.relationships.filter { !$0.isTransient }.map(Property.relationship)
    }

    private static func isMeant(_ property: Property, by name: String) -> Bool {
        property.name == name || property.name.hasPrefix(name + ".")
    }

    private static func attributes(
        of entity: EntityDescription, where isWanted: (Attribute) -> Bool
    ) -> [Property] {
        entity.attributes.enumerated().compactMap { slot, attribute in
            guard let attribute, !attribute.isTransient, isWanted(attribute) else { return nil }
            return .attribute(ExchangeAttribute(attribute, slot: slot, in: entity.model))
        }
    }

    /// Whether the other side of a relationship keeps an order, and so writes it.
    private static func isOrderedFromAfar(
        _ relationship: RelationshipDescription, _ entity: EntityDescription
    ) -> Bool {
        guard let name = relationship.relationship.inverse,
            let far = entity.model.entity(named: relationship.relationship.destination),
            let inverse = entity.model.relationship(name, of: far)
        else { return false }
        return inverse.isOrdered && !relationship.isOrdered
    }
}
