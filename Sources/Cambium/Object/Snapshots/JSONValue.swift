/// Any JSON value: how the values of codable attributes, whose types only the accessors know, go
/// into the JSON of a snapshot and come out of it.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case natural(UInt64)
    case decimal(Decimal)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads the JSON that a row holds; null where it is none.
    package init(text: String) {
        self = (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) ?? .null
    }

    /// The JSON that a row holds.
    package func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: PropertyName.self) {
            var object: [String: JSONValue] = [:]
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
            // Decimals keep all digits, and doubles the greatest and the least numbers.
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
