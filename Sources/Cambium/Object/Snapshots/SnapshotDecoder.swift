import CambiumRecords

/// Reads the content of a snapshot.
struct SnapshotDecoder {
    let model: ModelDescription
    let entity: EntityDescription
    private let writer = RecordWriter()

    func content(
        of container: KeyedDecodingContainer<PropertyName>
    ) throws -> SnapshotContent {
        var content = SnapshotContent(
            model: model, entity: entity, placed: writer.makeRecord(entity.shape))
        for slot in entity.attributes.indices where entity.attributes[slot]?.isTransient == true {
            writer.copySlot(slot, from: entity.template.record, to: &content.placed, entity.shape)
        }
        let parts = content.storedAttributes.map(SnapshotPart.init)
        try decode(parts, from: container, path: container.codingPath, into: &content)
        for relationship in entity.relationships where content.isKept(relationship) {
            let key = PropertyName(relationship.relationship.name)
            let id = try container.identity(for: key, in: model)
            guard id != nil || relationship.relationship.isOptional else {
                throw missing(key, container.codingPath)
            }
            content.destinations[relationship.ordinal] = id
        }
        content.placed = RecordWriter.compactCopy(content.placed.record, entity.shape)
        return content
    }

    private func decode(
        _ parts: [SnapshotPart], from container: KeyedDecodingContainer<PropertyName>?,
        path: [any CodingKey], into content: inout SnapshotContent
    ) throws {
        for (name, parts) in SnapshotPart.grouped(parts) {
            let key = PropertyName(name)
            let isThere = try container.map { try $0.contains(key) && !$0.decodeNil(forKey: key) }
            if let part = parts.first, part.names.isEmpty {
                if isThere == true, let container {
                    try set(part, from: container, key, &content)
                } else {
                    try setDefault(part, key, path, &content)
                }
            } else {
                let inner =
                    isThere == true
                    ? try container?.nestedContainer(keyedBy: PropertyName.self, forKey: key) : nil
                try decode(parts, from: inner, path: path + [key], into: &content)
            }
        }
    }

    private func set(
        _ part: SnapshotPart, from container: KeyedDecodingContainer<PropertyName>,
        _ key: PropertyName, _ content: inout SnapshotContent
    ) throws {
        let value = try value(of: part.attribute.type, from: container, key)
        guard let stored = model.model.stored(value, of: part.attribute) else {
            throw misfit(part.attribute.type, key, container)
        }
        writer.set(stored, part.slot, of: &content.placed, entity.shape)
    }

    private func value(
        of type: AttributeType, from container: KeyedDecodingContainer<PropertyName>,
        _ key: PropertyName
    ) throws -> Value {
        func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
            try container.decode(type, forKey: key)
        }
        let value: Value? =
            switch type {
            case .bool: .bool(try decode(Bool.self))
            case .int16, .int32, .int64: .int(try decode(Int64.self))
            case .float: .double(Double(try decode(Float.self)))
            case .double: .double(try decode(Double.self))
            case .decimal, .anyDecimal: .decimal(try decode(Decimal.self))
            case .string: .string(try decode(String.self))
            case .date: .date(try decode(Date.self))
            case .uri: .uri(try decode(URL.self))
            case .data: .data(try decode(Data.self))
            case .codable: .string(try decode(JSONValue.self).text())
            case .enumeration(let name):
                model.model.enumeration(named: name)?.rawType == .string
                    ? .string(try decode(String.self)) : .int(try decode(Int64.self))
            default: Value(spelled: try decode(String.self), as: type)
            }
        guard let value else { throw misfit(type, key, container) }
        return value
    }

    private func misfit(
        _ type: AttributeType, _ key: PropertyName,
        _ container: KeyedDecodingContainer<PropertyName>
    ) -> DecodingError {
        .dataCorruptedError(
            forKey: key, in: container,
            debugDescription: "The value does not fit the type \(type).")
    }

    /// What an attribute has that was left out.
    private func setDefault(
        _ part: SnapshotPart, _ key: PropertyName, _ path: [any CodingKey],
        _ content: inout SnapshotContent
    ) throws {
        guard !part.attribute.isOptional, part.attribute.derivation == nil else { return }
        switch part.attribute.defaultValue {
        case .constant:
            writer.copySlot(
                part.slot, from: entity.template.record, to: &content.placed, entity.shape)
        case .now:
            content.placed.record.setReal(part.slot, Date().timeIntervalSinceReferenceDate)
        case .newUUID:
            let id = try UUID.random()
            writer.set(
                .blob(withUnsafeBytes(of: id.uuid) { Data($0) }), part.slot, of: &content.placed,
                entity.shape)
        case nil:
            throw missing(key, path)
        }
    }

    private func missing(_ key: PropertyName, _ path: [any CodingKey]) -> DecodingError {
        .keyNotFound(
            key,
            .init(
                codingPath: path,
                debugDescription: "\(entity.name) requires it, and it has no default."))
    }
}
