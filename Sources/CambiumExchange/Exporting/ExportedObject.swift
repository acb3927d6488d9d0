/// An object as files show it.
struct ExportedObject {
    let subject: ManagedObject

    /// The value of an attribute for a file.
    func value(_ attribute: ExchangeAttribute) -> Value {
        subject.value(ofSlot: attribute.slot, attribute.attribute)
    }

    /// What a relationship leads to, each by the values of its key.
    ///
    /// - Throws: ``StoreError`` where an object has none: a part of its key is nil.
    func keys(
        _ relationship: ExchangeRelationship
    ) throws -> [[(part: ExchangeKeyShape.Part, value: Value)]] {
        guard let key = relationship.key else { return [] }
        return try subject.destinations(of: relationship.description).map { object in
            let values = ExportedObject(subject: object).values(of: key)
            return try zip(key.parts, values).map { part, value in
                guard value != .null else {
                    throw StoreError(
                        code: .invalidRequest,
                        message: "\(object.objectID) has no \(part.name), by which "
                            + "\(subject.objectID).\(relationship.name) would name it.",
                        remedy: "Give it one, or leave the relationship out of the export.")
                }
                return (part, value)
            }
        }
    }

    /// The values of a key, those of what its relationships reference too; null where one is
    /// missing.
    private func values(of key: ExchangeKeyShape) -> [Value] {
        key.columns.flatMap { column -> [Value] in
            switch column.content {
            case .attribute(let attribute): return [value(attribute)]
            case .relationship(let relationship, _, let inner):
                return subject.destination(of: relationship)
                    .map { ExportedObject(subject: $0).values(of: inner) }
                    ?? inner.parts.map { _ in .null }
            }
        }
    }
}
