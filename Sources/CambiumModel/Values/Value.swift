/// A value of an attribute, of any type: what generic code, errors and expressions pass around.
///
/// Typed accessors of generated classes do not go through it.
public enum Value: Sendable, Hashable {
    /// No value.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number of any width.
    case int(Int64)
    /// A floating-point number of any width.
    case double(Double)
    /// An exact decimal number.
    case decimal(Decimal)
    /// Text, also the raw value of an enumeration over strings.
    case string(String)
    /// A moment.
    case date(Date)
    /// A length of time, of whole nanoseconds.
    case duration(Duration)
    /// A UUID.
    case uuid(UUID)
    /// A URI.
    case uri(URL)
    /// Bytes.
    case data(Data)
}

extension Value: CustomStringConvertible {
    /// The value as Swift shows it: text in quotes, `nil` for no value, and of data only the length.
    public var description: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .date(let value): "\(value)"
        case .duration(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .uri(let value): "\(value)"
        case .data(let value): "\(value.count) bytes"
        }
    }
}

// MARK: Texts

extension Value {
    /// The value as a text without quotes, empty for no value: dates and durations as ISO 8601, data as Base64.
    package var plainText: String {
        switch self {
        case .null: ""
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): value.description
        case .string(let value): value
        case .date(let value): value.formatted(.iso8601)
        case .duration(let value): DurationStorage.text(of: value)
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .data(let value): value.base64EncodedString()
        }
    }

    /// The value that a text spells, of a type whose values have a spelling of their own; nil where
    /// it spells none.
    package init?(spelled text: String, as type: AttributeType) {
        let value: Value? =
            switch type {
            case .duration: DurationStorage.duration(of: text).map(Value.duration)
            case .uuid: UUID(uuidString: text).map(Value.uuid)
            case .uri: URL(string: text).map(Value.uri)
            default: nil
            }
        guard let value else { return nil }
        self = value
    }

    /// The name of the case, and a text from which ``init(kind:exactText:)`` makes the same value, to
    /// the last bit.
    package var exactForm: (kind: String, text: String) {
        switch self {
        case .null: ("null", "")
        case .bool: ("bool", plainText)
        case .int: ("int", plainText)
        case .double: ("double", plainText)
        case .decimal: ("decimal", plainText)
        case .string: ("string", plainText)
        case .date(let value): ("date", "\(value.timeIntervalSinceReferenceDate)")
        case .duration: ("duration", plainText)
        case .uuid: ("uuid", plainText)
        case .uri: ("uri", plainText)
        case .data: ("data", plainText)
        }
    }

    /// The value of an ``exactForm``; nil where it is none.
    package init?(kind: String, exactText text: String) {
        let value: Value? =
            switch kind {
            case "null": .null
            case "bool": Bool(text).map(Value.bool)
            case "int": Int64(text).map(Value.int)
            case "double": Double(text).map(Value.double)
            case "decimal": DecimalText.decimal(of: text).map(Value.decimal)
            case "string": .string(text)
            case "date":
                Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case "data": Data(base64Encoded: text).map(Value.data)
            default:
                AttributeType.words[kind].flatMap { Value(spelled: text, as: $0) }
            }
        guard let value else { return nil }
        self = value
    }
}
