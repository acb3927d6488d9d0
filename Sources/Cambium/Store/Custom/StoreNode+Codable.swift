extension StoreNode: Codable {
    private enum Name: String, CodingKey {
        case entityName = "entity"
        case key, version, values, destinations, members
    }

    /// Writes a value with the name of its type, so that it comes back as what it was.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(entityName, forKey: .entityName)
        try container.encode(key, forKey: .key)
        try container.encode(version, forKey: .version)
        try container.encode(values.mapValues(CodableValue.init), forKey: .values)
        if !destinations.isEmpty { try container.encode(destinations, forKey: .destinations) }
        if !members.isEmpty { try container.encode(members, forKey: .members) }
    }

    /// Reads a row that was encoded.
    ///
    /// - Throws: `DecodingError` where it is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        self.init(
            entityName: try container.decode(String.self, forKey: .entityName),
            key: try container.decode(Int64.self, forKey: .key),
            version: try container.decode(Int64.self, forKey: .version),
            values: try container.decode([String: CodableValue].self, forKey: .values)
                .mapValues(\.value),
            destinations: try container.decodeIfPresent(
                [String: StoreReference].self, forKey: .destinations) ?? [:],
            members: try container.decodeIfPresent(
                [String: [StoreReference]].self, forKey: .members) ?? [:])
    }
}

/// A value beside the name of its type.
private struct CodableValue: Codable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    private enum Kind: String, CodingKey {
        case bool, int, double, decimal, string, date, uuid, uri, data
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch value {
        case .null: break
        case .bool(let value): try container.encode(value, forKey: .bool)
        case .int(let value): try container.encode(value, forKey: .int)
        // JSON has no infinity, and its numbers need not come back bit by bit.
        case .double(let value): try container.encode(value.bitPattern, forKey: .double)
        case .decimal(let value): try container.encode(value.description, forKey: .decimal)
        case .string(let value): try container.encode(value, forKey: .string)
        case .date(let value):
            try container.encode(value.timeIntervalSinceReferenceDate.bitPattern, forKey: .date)
        case .uuid(let value): try container.encode(value.uuidString, forKey: .uuid)
        case .uri(let value): try container.encode(value.absoluteString, forKey: .uri)
        case .data(let value): try container.encode(value, forKey: .data)
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard let kind = container.allKeys.first else {
            value = .null
            return
        }
        let found: Value? =
            switch kind {
            case .bool: .bool(try container.decode(Bool.self, forKey: kind))
            case .int: .int(try container.decode(Int64.self, forKey: kind))
            case .double:
                .double(Double(bitPattern: try container.decode(UInt64.self, forKey: kind)))
            case .decimal:
                Decimal(string: try container.decode(String.self, forKey: kind)).map(Value.decimal)
            case .string: .string(try container.decode(String.self, forKey: kind))
            case .date:
                .date(
                    Date(
                        timeIntervalSinceReferenceDate: Double(
                            bitPattern: try container.decode(UInt64.self, forKey: kind))))
            case .uuid:
                UUID(uuidString: try container.decode(String.self, forKey: kind)).map(Value.uuid)
            case .uri: URL(string: try container.decode(String.self, forKey: kind)).map(Value.uri)
            case .data: .data(try container.decode(Data.self, forKey: kind))
            }
        guard let found else {
            throw DecodingError.dataCorruptedError(
                forKey: kind, in: container, debugDescription: "It is no \(kind.rawValue).")
        }
        value = found
    }
}
