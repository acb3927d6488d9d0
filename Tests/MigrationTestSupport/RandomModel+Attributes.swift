import CambiumModel

extension RandomModel {
    /// A stored attribute, or a part of a composite value.
    struct StoredAttribute {
        let id: String
        let name: String
        /// The entity that declares it.
        let owner: Kind
        let type: AttributeType
        let isOptional: Bool
        let defaultValue: DefaultValue?
        /// The former name in `renamedFrom`.
        let from: String?
        let isExternal: Bool
    }

    func kind(named name: String) -> Kind? { kinds.first { $0.name == name } }

    func kind(_ id: String) -> Kind? { kinds.first { $0.id == id } }

    /// The entity and its ancestors, from the root on.
    func lineage(of kind: Kind) -> [Kind] {
        (kind.parent.flatMap(kind(named:)).map(lineage) ?? []) + [kind]
    }

    func root(of kind: Kind) -> Kind { lineage(of: kind)[0] }

    /// Whether an entity is another one or a subentity of it.
    func isKind(_ id: String, of other: String) -> Bool {
        kind(id).map { lineage(of: $0).contains { $0.id == other } } ?? false
    }

    /// All attributes of an entity's objects, without derived ones.
    func attributes(of kind: Kind) -> [StoredAttribute] {
        lineage(of: kind).flatMap { owner in
            owner.properties.map { property in
                StoredAttribute(
                    id: property.id, name: property.name, owner: owner, type: property.type,
                    isOptional: property.isOptional, defaultValue: property.defaultValue,
                    from: property.from,
                    isExternal: property.isExternal && property.type == .data)
            } + owner.places.flatMap { place in parts(of: place, in: owner) }
        }
    }

    private func parts(of place: Place, in owner: Kind) -> [StoredAttribute] {
        place.composite.attributes.map { part in
            StoredAttribute(
                id: "\(place.id).\(part.name)", name: "\(place.name).\(part.name)", owner: owner,
                type: part.type, isOptional: part.isOptional || place.isOptional,
                defaultValue: nil, from: place.from.map { "\($0).\(part.name)" },
                isExternal: false)
        }
    }
}
