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
    ) throws -> [[(part: ExchangeKeyShape.Part, value: Value)]] {
        guard let key = relationship.key else { return [] }
        let description = relationship.description
        let objects =
            description.isToMany
            ? links(description.ordinal).members.compactMap { object(for: $0) }
            : destination(of: description).map { [$0] } ?? []
        return try objects.map { object in
            let values = object.exportedValues(of: key)
            return try zip(key.parts, values).map { part, value in
                guard value != .null else {
                    throw StoreError(
                        code: .invalidRequest,
                        message: "\(object.objectID) has no \(part.name), by which "
                            + "\(objectID).\(relationship.name) would name it.",
                        remedy: "Give it one, or leave the relationship out of the export.")
                }
                return (part, value)
            }
        }
    }

    /// The values of a key, those of what its relationships reference too; null where one is
    /// missing.
    private func exportedValues(of key: ExchangeKeyShape) -> [Value] {
        key.columns.flatMap { column -> [Value] in
            switch column.content {
            case .attribute(let attribute): return [exportedValue(attribute)]
            case .relationship(let relationship, _, let inner):
                return destination(of: relationship)?.exportedValues(of: inner)
                    ?? inner.parts.map { _ in .null }
            }
        }
    }
}
