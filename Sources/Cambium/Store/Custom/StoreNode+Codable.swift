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

    /// The name of the value's type.
    private struct Kind: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { return nil }
    }

    init(_ value: Value) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch value {
        case .null: break
        case .bool(let value): try container.encode(value, forKey: Kind("bool"))
        case .int(let value): try container.encode(value, forKey: Kind("int"))
        // JSON has no infinity, and its numbers need not come back bit by bit.
        case .double(let value):
            try container.encode(value.bitPattern, forKey: Kind("double"))
        case .date(let value):
            try container.encode(
                value.timeIntervalSinceReferenceDate.bitPattern, forKey: Kind("date"))
        case .data(let value): try container.encode(value, forKey: Kind("data"))
        default:
            let (kind, text) = value.exactForm
            try container.encode(text, forKey: Kind(kind))
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard let kind = container.allKeys.first else {
            value = .null
            return
        }
        let found: Value? =
            switch kind.stringValue {
            case "bool": .bool(try container.decode(Bool.self, forKey: kind))
            case "int": .int(try container.decode(Int64.self, forKey: kind))
            case "double":
                .double(Double(bitPattern: try container.decode(UInt64.self, forKey: kind)))
            case "date":
                .date(
                    Date(
                        timeIntervalSinceReferenceDate: Double(
                            bitPattern: try container.decode(UInt64.self, forKey: kind))))
            // One digit more than a text of a person may have.
            case "decimal":
                Decimal(string: try container.decode(String.self, forKey: kind)).map(Value.decimal)
            case "data": .data(try container.decode(Data.self, forKey: kind))
            default:
                Value(
                    kind: kind.stringValue,
                    exactText: try container.decode(String.self, forKey: kind))
            }
        guard let found else {
            throw DecodingError.dataCorruptedError(
                forKey: kind, in: container, debugDescription: "It is no \(kind.stringValue).")
        }
        value = found
    }
}
