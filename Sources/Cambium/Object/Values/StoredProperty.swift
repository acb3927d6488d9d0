import CambiumRecords

/// A type that an attribute can have: how its values are read from and written to a row.
///
/// The conformances are those of the model language's types; generated enumerations conform
/// through ``StoredEnumeration``.
public protocol StoredProperty {
    /// What a missing value reads as.
    static var _missing: Self { get }
    /// The value in a slot that has one, or nil where it is not of this type.
    static func read(_ record: Record, _ slot: Int) -> Self?
    /// Writes the value into a slot of an object, as a change.
    func write(to object: ManagedObject, _ slot: Int)
}

extension Bool: StoredProperty {
    /// What a missing value reads as.
    @inlinable public static var _missing: Bool { false }
    /// The value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Bool? {
        record.integer(slot) != 0
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        object.writeInteger(slot, self ? 1 : 0)
    }
}

extension StoredProperty where Self: FixedWidthInteger {
    /// What a missing value reads as.
    @inlinable public static var _missing: Self { 0 }
    /// The value in a slot that has one.
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
    /// What a missing value reads as.
    @inlinable public static var _missing: Double { 0 }
    /// The value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Double? {
        record.real(slot)
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        object.writeReal(slot, self)
    }
}

extension Float: StoredProperty {
    /// What a missing value reads as.
    @inlinable public static var _missing: Float { 0 }
    /// The value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Float? {
        Float(record.real(slot))
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        object.writeReal(slot, Double(self))
    }
}

extension Date: StoredProperty {
    /// What a missing value reads as.
    @inlinable public static var _missing: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// The value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Date? {
        Date(timeIntervalSinceReferenceDate: record.real(slot))
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        object.writeDate(slot, timeIntervalSinceReferenceDate)
    }
}

extension String: StoredProperty {
    /// What a missing value reads as.
    @inlinable public static var _missing: String { "" }
    /// The value in a slot that has one.
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
    /// What a missing value reads as.
    @inlinable public static var _missing: Data { Data() }
    /// The value in a slot that has one.
    @inlinable public static func read(_ record: Record, _ slot: Int) -> Data? {
        Data(record.bytes(slot))
    }
    /// Writes the value as a change.
    @inlinable public func write(to object: ManagedObject, _ slot: Int) {
        withUnsafeBytes { object.writeBytes(slot, $0) }
    }
}

extension Duration: StoredProperty {
    /// What a missing value reads as.
    public static var _missing: Duration { .zero }
    /// The value in a slot that has one.
    public static func read(_ record: Record, _ slot: Int) -> Duration? {
        .nanoseconds(record.integer(slot))
    }
    /// Writes the value, rounded to whole nanoseconds, as a change. One that 64 bits cannot hold leaves
    /// the old one, and every save is refused until the attribute is set to another.
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
    /// The UUID of the slot's 16 bytes.
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
    /// `about:blank`, the URL of nothing.
    public static var _missing: URL { URL(string: "about:blank") ?? URL(filePath: "/") }
    /// The URL of the slot's text.
    public static func read(_ record: Record, _ slot: Int) -> URL? {
        URL(string: String(decoding: record.bytes(slot), as: UTF8.self))
    }
    /// Writes the absolute string.
    public func write(to object: ManagedObject, _ slot: Int) {
        absoluteString.write(to: object, slot)
    }
}

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

/// An enumeration of the model. Generated enumerations conform; their raw value is what the store
/// holds.
public protocol StoredEnumeration: StoredProperty, AttributeValue, PredicateArgument,
    RawRepresentable, CaseIterable, Hashable, Codable, Sendable
where RawValue: StoredProperty & AttributeValue {}

extension StoredEnumeration {
    /// The first case, which a missing or unknown value reads as.
    public static var _missing: Self {
        guard let first = allCases.first else {
            preconditionFailure(
                "The enumeration \(Self.self) has no case; the compiler refuses it.")
        }
        return first
    }

    /// The case of the slot's raw value, or nil where it is of no case.
    public static func read(_ record: Record, _ slot: Int) -> Self? {
        RawValue.read(record, slot).flatMap(Self.init(rawValue:))
    }

    /// Writes the raw value.
    public func write(to object: ManagedObject, _ slot: Int) {
        rawValue.write(to: object, slot)
    }
}
