import CambiumRecords

/// A type that an attribute can have. It defines how its values are read from a row and written to
/// it.
///
/// The types of the model language conform; generated enumerations conform through
/// ``StoredEnumeration``.
public protocol StoredProperty {
    /// The placeholder for a missing value.
    static var _missing: Self { get }
    /// Returns the value in a slot that has one, or nil if it is not of this type.
    static func read(_ record: Record, _ slot: Int) -> Self?
    /// Writes the value into a slot of an object, as a change.
    func write(to object: ManagedObject, _ slot: Int)
}

extension Bool: StoredProperty {
    /// The placeholder for a missing value.
    @inlinable public static var _missing: Bool { false }
    /// Returns the value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Bool? {
        record.integer(slot) != 0
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        object.writeInteger(slot, self ? 1 : 0)
    }
}

extension StoredProperty where Self: FixedWidthInteger {
    /// The placeholder for a missing value.
    @inlinable public static var _missing: Self { 0 }
    /// Returns the value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Self? {
        Self(exactly: record.integer(slot))
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        object.writeInteger(slot, Int64(self))
    }
}

extension Int16: StoredProperty {}
extension Int32: StoredProperty {}
extension Int64: StoredProperty {}

extension Double: StoredProperty {
    /// The placeholder for a missing value.
    @inlinable public static var _missing: Double { 0 }
    /// Returns the value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Double? {
        record.real(slot)
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        object.writeReal(slot, self)
    }
}

extension Float: StoredProperty {
    /// The placeholder for a missing value.
    @inlinable public static var _missing: Float { 0 }
    /// Returns the value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Float? {
        Float(record.real(slot))
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        object.writeReal(slot, Double(self))
    }
}

extension Date: StoredProperty {
    /// The placeholder for a missing value.
    @inlinable public static var _missing: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// Returns the value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Date? {
        Date(timeIntervalSinceReferenceDate: record.real(slot))
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        object.writeDate(slot, timeIntervalSinceReferenceDate)
    }
}

extension String: StoredProperty {
    /// The placeholder for a missing value.
    @inlinable public static var _missing: String { "" }
    /// Returns the value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> String? {
        String(decoding: record.bytes(slot), as: UTF8.self)
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        var copy = self
        copy.withUTF8 { object.writeBytes(slot, UnsafeRawBufferPointer($0)) }
    }
}

extension Data: StoredProperty {
    /// The placeholder for a missing value.
    @inlinable public static var _missing: Data { Data() }
    /// Returns the value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Data? {
        Data(record.bytes(slot))
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        withUnsafeBytes { object.writeBytes(slot, $0) }
    }
}

extension Duration: StoredProperty {
    /// The placeholder for a missing value.
    public static var _missing: Duration { .zero }
    /// Returns the value in a slot that has one.
    public static func read(_ record: Record, _ slot: Int) -> Duration? {
        .nanoseconds(record.integer(slot))
    }
    /// Writes the value as a change, rounded to nanoseconds. If the value does not fit into 64
    /// bits, the attribute keeps its old value, and every save fails until the attribute is set to
    /// another value.
    public func write(to object: ManagedObject, _ slot: Int) {
        guard let nanoseconds = DurationStorage.nanoseconds(of: self) else {
            return object.noteUnfit(slot)
        }
        object.writeInteger(slot, nanoseconds)
        object.extras?.unfitSlots.remove(slot)
    }
}

extension UUID: StoredProperty {
    /// The nil UUID.
    public static var _missing: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    /// Returns the UUID of the slot's 16 bytes.
    public static func read(_ record: Record, _ slot: Int) -> UUID? {
        let bytes = record.bytes(slot)
        return bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
    }
    /// Writes the 16 bytes.
    public func write(to object: ManagedObject, _ slot: Int) {
        withUnsafeBytes(of: uuid) { object.writeBytes(slot, $0) }
    }
}

extension URL: StoredProperty {
    /// `about:blank`, the placeholder for a missing value.
    public static var _missing: URL { URL(string: "about:blank") ?? URL(filePath: "/") }
    /// Returns the URL of the slot's text.
    public static func read(_ record: Record, _ slot: Int) -> URL? {
        URL(string: String(decoding: record.bytes(slot), as: UTF8.self))
    }
    /// Writes the absolute string.
    public func write(to object: ManagedObject, _ slot: Int) {
        absoluteString.write(to: object, slot)
    }
}

/// A type of values for a required attribute of the type `codable`.
///
/// Arrays, sets, dictionaries, strings, numbers and Booleans conform. If your own type has an
/// initializer without arguments, declare its conformance. The initializer creates the value for an
/// attribute that is missing or cannot be decoded:
///
/// ```swift
/// extension Colour: StoredCodable {}
/// ```
///
/// Values must also be `Sendable`. An optional attribute requires only `Codable & Sendable`.
public protocol StoredCodable: Codable {
    /// Creates the value for a missing one.
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

/// An enumeration of the model. Generated enumerations conform. The store has their raw values.
public protocol StoredEnumeration: StoredProperty, AttributeValue, PredicateArgument,
    RawRepresentable, CaseIterable, Hashable, Codable, Sendable
where RawValue: StoredProperty & AttributeValue {}

extension StoredEnumeration {
    /// The first case, the placeholder for a missing or unknown value.
    public static var _missing: Self {
        guard let first = allCases.first else {
            preconditionFailure(
                "The enumeration \(Self.self) has no case; the compiler refuses it.")
        }
        return first
    }

    /// Returns the case of the slot's raw value, or nil if there is none.
    public static func read(_ record: Record, _ slot: Int) -> Self? {
        RawValue.read(record, slot).flatMap(Self.init(rawValue:))
    }

    /// Writes the raw value.
    public func write(to object: ManagedObject, _ slot: Int) {
        rawValue.write(to: object, slot)
    }
}
