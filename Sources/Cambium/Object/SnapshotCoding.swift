import CambiumRecords

extension Snapshot: Codable {
    /// Encodes the values by the names of their properties, and the identity as `objectID`.
    ///
    /// Numbers, texts, dates and data have the encoder's form. Enumerations are encoded as their
    /// raw values, composite values as nested objects, codable attributes as their own JSON, to-one
    /// relationships as identities. Nil values are omitted.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PropertyName.self)
        try container.encodeIfPresent(objectID, forKey: .objectID)
        try SnapshotEncoder(content: content).encode(to: &container)
    }

    /// Decodes the values by the names of their properties.
    ///
    /// Names that the entity does not have are ignored. A missing value is nil, or the model's
    /// default if the attribute is required. A missing value of a derived attribute stays missing.
    /// Without `objectID`, the snapshot is not of an existing object, and is of the class's own
    /// entity.
    ///
    /// - Throws: `DecodingError` with the coding path if a required value without a default is
    ///   missing, or a value is of another type or does not fit.
    public init(from decoder: any Decoder) throws {
        let reference = Object.entityReference
        let container = try decoder.container(keyedBy: PropertyName.self)
        guard let model = reference.model?.modelDescription, let own = model[reference.name] else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "\(Object.self) belongs to no model. Use a generated class."))
        }
        let id = try container.identity(for: .objectID, in: model)
        let entity = id?.entity ?? own
        guard model.families[own.index].contains(entity.index) else {
            throw DecodingError.dataCorruptedError(
                forKey: .objectID, in: container,
                debugDescription: "It is of the entity \(entity.name), not of \(own.name).")
        }
        self.init(
            objectID: id,
            content: try SnapshotDecoder(model: model, entity: entity).content(of: container))
    }
}

/// The name of a property in JSON.
struct PropertyName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    /// A key that all objects have. No property can have this name.
    static let objectID = PropertyName("objectID")

    init(_ name: some StringProtocol) {
        stringValue = String(name)
    }

    init?(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        return nil
    }
}

extension KeyedDecodingContainer<PropertyName> {
    /// Returns the identity of an object, or nil if it is missing.
    func identity(for key: PropertyName, in model: ModelDescription) throws -> ObjectID? {
        guard let uri = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let id = ObjectID(uri: uri, in: model) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "It is not an identity of an object of the model "
                    + "\(model.model.name).")
        }
        return id
    }
}

/// An attribute with the remaining names of its path in nested objects, if it is a part of a
/// composite value.
struct SnapshotPart {
    let slot: Int
    let attribute: Attribute
    let names: ArraySlice<Substring>

    init(slot: Int, attribute: Attribute) {
        self.slot = slot
        self.attribute = attribute
        names = attribute.name.split(separator: ".")[...]
    }

    private init(_ part: SnapshotPart) {
        slot = part.slot
        attribute = part.attribute
        names = part.names.dropFirst()
    }

    /// Groups the parts by their first names, and removes these names.
    static func grouped(_ parts: [SnapshotPart]) -> [(name: Substring, parts: [SnapshotPart])] {
        var groups: [(name: Substring, parts: [SnapshotPart])] = []
        for part in parts {
            guard let name = part.names.first else { continue }
            if groups.last?.name == name {
                groups[groups.count - 1].parts.append(SnapshotPart(part))
            } else {
                groups.append((name, [SnapshotPart(part)]))
            }
        }
        return groups
    }
}

/// Encodes the content of a snapshot.
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
            // With as few digits as a 32-bit number needs.
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

/// Decodes the content of a snapshot.
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
            let exists = try container.map { try $0.contains(key) && !$0.decodeNil(forKey: key) }
            if let part = parts.first, part.names.isEmpty {
                if exists == true, let container {
                    try set(part, from: container, key, &content)
                } else {
                    try setDefault(part, key, path, &content)
                }
            } else {
                let inner =
                    exists == true
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

    /// Sets the default of an attribute that is missing in the text.
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

/// Any JSON value. A snapshot's JSON contains the values of codable attributes in this form,
/// because only the accessors have their types.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case natural(UInt64)
    case decimal(Decimal)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads the JSON in a row; null if it is invalid.
    package init(text: String) {
        self = (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) ?? .null
    }

    /// Returns the JSON for a row.
    package func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: PropertyName.self) {
            var object = [String: JSONValue]()
            for key in container.allKeys {
                object[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(object)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !container.isAtEnd { array.append(try container.decode(JSONValue.self)) }
            self = .array(array)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .natural(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else {
            let value = try container.decode(Double.self)
            // Decimals keep all digits; doubles have a larger range.
            if (1e-90...1e90).contains(value.magnitude),
                let exact = try? container.decode(Decimal.self)
            {
                self = .decimal(exact)
            } else {
                self = .double(value)
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object):
            var container = encoder.container(keyedBy: PropertyName.self)
            for (key, value) in object { try container.encode(value, forKey: PropertyName(key)) }
        case .array(let array):
            var container = encoder.unkeyedContainer()
            for value in array { try container.encode(value) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try single(value, encoder)
        case .integer(let value): try single(value, encoder)
        case .natural(let value): try single(value, encoder)
        case .decimal(let value): try single(value, encoder)
        case .double(let value): try single(value, encoder)
        case .string(let value): try single(value, encoder)
        }
    }

    private func single(_ value: some Encodable, _ encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
