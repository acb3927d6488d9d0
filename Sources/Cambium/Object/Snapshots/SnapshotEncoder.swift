/// Writes the content of a snapshot.
struct SnapshotEncoder {
    let content: SnapshotContent

    private typealias Container = KeyedEncodingContainer<PropertyName>

    func encode(to container: inout KeyedEncodingContainer<PropertyName>) throws {
        let record = content.placed.record
        let parts = content.storedAttributes.filter { record.hasValue($0.slot) }
        try encode(parts.map(SnapshotPart.init), to: &container)
        for relationship in content.entity.relationships {
            try container.encodeIfPresent(
                content.destinations[relationship.ordinal],
                forKey: PropertyName(relationship.relationship.name))
        }
    }

    private func encode(_ parts: [SnapshotPart], to container: inout Container) throws {
        for (name, parts) in SnapshotPart.grouped(parts) {
            if let part = parts.first, part.names.isEmpty {
                try encode(part, as: PropertyName(name), to: &container)
            } else {
                var inner = container.nestedContainer(
                    keyedBy: PropertyName.self, forKey: PropertyName(name))
                try encode(parts, to: &inner)
            }
        }
    }

    private func encode(
        _ part: SnapshotPart, as name: PropertyName, to container: inout Container
    ) throws {
        switch value(of: part) {
        case .null: break
        case .bool(let value): try container.encode(value, forKey: name)
        case .int(let value): try container.encode(value, forKey: name)
        case .double(let value) where part.attribute.type == .float:
            // As few digits as a number of 32 bits needs.
            try container.encode(Float(value), forKey: name)
        case .double(let value): try container.encode(value, forKey: name)
        case .decimal(let value): try container.encode(value, forKey: name)
        case .date(let value): try container.encode(value, forKey: name)
        case .uri(let value): try container.encode(value, forKey: name)
        case .data(let value): try container.encode(value, forKey: name)
        case .string(let value):
            if case .codable = part.attribute.type {
                try container.encode(JSONValue(text: value), forKey: name)
            } else {
                try container.encode(value, forKey: name)
            }
        case let value: try container.encode(value.plainText, forKey: name)
        }
    }

    private func value(of part: SnapshotPart) -> Value {
        let record = content.placed.record
        if part.attribute.usesExternalForm {
            return .data(Data(record.bytes(part.slot).dropFirst()))
        }
        let stored = record.storedValue(part.slot, content.entity.shape.kinds[part.slot])
        return content.model.model.value(stored, as: part.attribute.type) ?? .null
    }
}
