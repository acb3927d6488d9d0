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
        case .uuid(let value): "\(value)"
        case .uri(let value): "\(value)"
        case .data(let value): "\(value.count) bytes"
        }
    }
}
