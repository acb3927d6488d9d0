extension ManagedObject {
    /// The value of an attribute for a file.
    final func exportedValue(_ attribute: ExchangeAttribute) -> Value {
        value(ofSlot: attribute.slot, attribute.attribute, in: readable)
    }

    /// What a relationship leads to, each by the values of its key.
    ///
    /// - Throws: ``StoreError`` where an object has none: a part of its key is nil.
    final func exportedKeys(
        _ relationship: ExchangeRelationship
    ) throws -> [[(part: ExchangeAttribute, value: Value)]] {
        guard let key = relationship.key else { return [] }
        let description = relationship.description
        let objects =
            description.isToMany
            ? links(description.ordinal).members.compactMap { object(for: $0) }
            : destination(of: description).map { [$0] } ?? []
        return try objects.map { object in
            try key.parts.map { part in
                let value = object.exportedValue(part)
                guard value != .null else {
                    throw StoreError(
                        code: .invalidRequest,
                        message: "\(object.objectID) has no \(part.attribute.name), by which "
                            + "\(objectID).\(relationship.name) would name it.",
                        remedy: "Give it one, or leave the relationship out of the export.")
                }
                return (part, value)
            }
        }
    }
}
