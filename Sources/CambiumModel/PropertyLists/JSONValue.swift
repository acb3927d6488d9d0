/// A value of JSON, with whole numbers apart from others.
enum JSONValue {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A whole number that is greater than those.
    case large(UInt64)
    case real(Double)
    case string(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// The text, in which members are sorted by name.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .large(let number): "\(number)"
        case .real(let number): "\(number)"
        case .string(let string): Self.quoted(string)
        case .list(let members): "[" + members.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }
                .map { "\(Self.quoted($0.key)):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    static func quoted(_ string: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        // A text can always be encoded.
        return (try? encoder.encode(string)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}

extension JSONValue: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if var list = try? decoder.unkeyedContainer() {
            var members: [JSONValue] = []
            while !list.isAtEnd { members.append(try list.decode(JSONValue.self)) }
            self = .list(members)
        } else if let object = try? decoder.container(keyedBy: Name.self) {
            var members: [String: JSONValue] = [:]
            for name in object.allKeys {
                members[name.stringValue] = try object.decode(JSONValue.self, forKey: name)
            }
            self = .object(members)
        } else {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let flag = try? value.decode(Bool.self) {
                self = .bool(flag)
            } else if let number = try? value.decode(Int64.self) {
                self = .integer(number)
            } else if let number = try? value.decode(UInt64.self) {
                self = .large(number)
            } else if let number = try? value.decode(Double.self) {
                self = .real(number)
            } else {
                self = .string(try value.decode(String.self))
            }
        }
    }
}
