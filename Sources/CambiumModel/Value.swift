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
