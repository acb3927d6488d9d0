/// A type whose values an attribute of the type `codable` holds where it is required.
///
/// Arrays, sets, dictionaries, texts, numbers and Booleans are ones already. For a type of the
/// program's own it is enough to say so where it has an initializer without arguments, whose result
/// stands for a value that is missing or cannot be decoded:
///
/// ```swift
/// extension Colour: StoredCodable {}
/// ```
///
/// Values must be `Sendable` too. An optional attribute asks for `Codable & Sendable` only.
public protocol StoredCodable: Codable {
    /// The value that stands for a missing one.
    init()
}

extension Array: StoredCodable where Element: Codable {}
extension Set: StoredCodable where Element: Codable {}
extension Dictionary: StoredCodable where Key: Codable, Value: Codable {}
extension String: StoredCodable {}
extension Bool: StoredCodable {}
extension Int: StoredCodable {}
extension Int8: StoredCodable {}
extension Int16: StoredCodable {}
extension Int32: StoredCodable {}
extension Int64: StoredCodable {}
extension UInt: StoredCodable {}
extension UInt8: StoredCodable {}
extension UInt16: StoredCodable {}
extension UInt32: StoredCodable {}
extension UInt64: StoredCodable {}
extension Float: StoredCodable {}
extension Double: StoredCodable {}
extension Decimal: StoredCodable {}
extension Date: StoredCodable {}
extension Data: StoredCodable {}
extension UUID: StoredCodable {}
