/// A value of an attribute, of any type. Generic code, errors and expressions use it.
///
/// Typed accessors of generated classes do not use it.
public enum Value: Sendable, Hashable {
    /// No value.
    case null
    /// True or false.
    case bool(Bool)
    /// An integer of any width.
    case int(Int64)
    /// A floating-point number of any width.
    case double(Double)
    /// An exact decimal number.
    case decimal(Decimal)
    /// Text, or the raw value of an enumeration over strings.
    case string(String)
    /// A point in time.
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

extension Value {
    /// Whether both have the same case and are equal. It is implemented here because Swift would
    /// copy its own implementation, with Foundation's long comparison of data, to each place that
    /// compares values.
    @inline(never)
    public static func == (one: Value, other: Value) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.int(let one), .int(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.decimal(let one), .decimal(let other)): one == other
        case (.string(let one), .string(let other)): one == other
        case (.date(let one), .date(let other)): one == other
        case (.duration(let one), .duration(let other)): one == other
        case (.uuid(let one), .uuid(let other)): one == other
        case (.uri(let one), .uri(let other)): one == other
        case (.data(let one), .data(let other)): one == other
        default: false
        }
    }
}

extension Value: CustomStringConvertible {
    /// The value as Swift shows it: text in quotes, `nil` for no value, and only the length of
    /// data.
    public var description: String {
        switch self {
        case .null: "nil"
        case .string(let value): "\"" + value + "\""
        case .date(let value): value.description
        case .duration(let value): value.description
        case .uri(let value): value.description
        case .data(let value): value.count.description + " bytes"
        case .bool, .int, .double, .decimal, .uuid: plainText
        }
    }
}

// MARK: Texts

extension Value {
    /// The value as a text without quotes: dates and durations as ISO 8601, data as Base64, and an
    /// empty text for no value.
    package var plainText: String {
        switch self {
        case .null: ""
        case .bool(let value): value.description
        case .int(let value): value.description
        case .double(let value): value.description
        case .decimal(let value): value.description
        case .string(let value): value
        case .date(let value): value.formatted(.iso8601)
        case .duration(let value): DurationStorage.text(of: value)
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .data(let value): value.base64EncodedString()
        }
    }

    /// Creates the value that a text spells, of a type that has texts of its own form; nil if the
    /// text is not a value of the type.
    package init?(spelled text: String, as type: AttributeType) {
        var value: Value?
        switch type {
        case .duration:
            if let length = DurationStorage.duration(of: text) { value = .duration(length) }
        case .uuid: if let uuid = UUID(uuidString: text) { value = .uuid(uuid) }
        case .uri: if let uri = URL(string: text) { value = .uri(uri) }
        default: break
        }
        guard let value else { return nil }
        self = value
    }

    /// The name of the case, and a text that ``init(kind:exactText:)`` converts back to the same
    /// value, to the last bit.
    package var exactForm: (kind: String, text: String) {
        switch self {
        case .null: ("null", "")
        case .bool: ("bool", plainText)
        case .int: ("int", plainText)
        case .double: ("double", plainText)
        case .decimal: ("decimal", plainText)
        case .string: ("string", plainText)
        case .date(let value): ("date", value.timeIntervalSinceReferenceDate.description)
        case .duration: ("duration", plainText)
        case .uuid: ("uuid", plainText)
        case .uri: ("uri", plainText)
        case .data: ("data", plainText)
        }
    }

    /// Creates the value of an ``exactForm``; nil if the text is not one.
    package init?(kind: String, exactText text: String) {
        var value: Value?
        switch kind {
        case "null": value = .null
        case "bool": if let flag = Bool(text) { value = .bool(flag) }
        case "int": if let number = Int64(text) { value = .int(number) }
        case "double": if let number = Double(text) { value = .double(number) }
        case "decimal": if let number = DecimalText.decimal(of: text) { value = .decimal(number) }
        case "string": value = .string(text)
        case "date":
            if let seconds = Double(text) {
                value = .date(Date(timeIntervalSinceReferenceDate: seconds))
            }
        case "data": if let data = Data(base64Encoded: text) { value = .data(data) }
        default:
            if let type = AttributeType.words[kind] { value = Value(spelled: text, as: type) }
        }
        guard let value else { return nil }
        self = value
    }
}

/// A value in SQLite's form.
public enum StoredValue: Sendable, Hashable {
    /// NULL.
    case null
    /// INTEGER.
    case integer(Int64)
    /// REAL.
    case real(Double)
    /// TEXT.
    case text(String)
    /// BLOB.
    case blob(Data)

    /// The number of an INTEGER.
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The text of a TEXT.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension Value {
    /// Returns the stored form of a value. An enumeration is excluded, because it needs a model.
    ///
    /// - Returns: Nil if the value has another type or does not fit.
    package func stored(as type: AttributeType) -> StoredValue? {
        switch self {
        case .null: return .null
        case .bool(let value): if case .bool = type { return .integer(value ? 1 : 0) }
        case .int(let value):
            switch type {
            case .int16: return Int16(exactly: value) == nil ? nil : .integer(value)
            case .int32: return Int32(exactly: value) == nil ? nil : .integer(value)
            case .int64: return .integer(value)
            case .float, .double: return .real(Double(value))
            case .decimal, .anyDecimal: return Value.decimal(Decimal(value)).stored(as: type)
            default: break
            }
        case .double(let value):
            switch type {
            case .float, .double: return .real(value)
            default: break
            }
        case .decimal(let value):
            switch type {
            case .decimal(let scale):
                return DecimalStorage.units(of: value, scale: scale).map { .integer($0) }
            case .anyDecimal: return OrderedDecimal.bytes(of: value).map { .blob($0) }
            default: break
            }
        case .string(let value):
            switch type {
            case .string, .codable: return .text(value)
            default: break
            }
        case .uri(let value): if case .uri = type { return .text(value.absoluteString) }
        case .date(let value):
            if case .date = type { return .real(value.timeIntervalSinceReferenceDate) }
        case .duration(let value):
            if case .duration = type {
                return DurationStorage.nanoseconds(of: value).map { .integer($0) }
            }
        case .uuid(let value):
            if case .uuid = type { return .blob(withUnsafeBytes(of: value.uuid) { Data($0) }) }
        case .data(let value): if case .data = type { return .blob(value) }
        }
        return nil
    }
}

extension StoredValue {
    /// Returns the value of an attribute. An enumeration is excluded, because it needs a model.
    ///
    /// - Returns: Nil if the stored form does not belong to that type.
    package func value(as type: AttributeType) -> Value? {
        switch self {
        case .null: return .null
        case .integer(let value):
            switch type {
            case .bool: return value == 0 || value == 1 ? .bool(value == 1) : nil
            case .int16: return Int16(exactly: value) == nil ? nil : .int(value)
            case .int32: return Int32(exactly: value) == nil ? nil : .int(value)
            case .int64: return .int(value)
            case .decimal(let scale):
                return .decimal(DecimalStorage.decimal(ofUnits: value, scale: scale))
            case .duration: return .duration(.nanoseconds(value))
            default: return nil
            }
        case .real(let value):
            switch type {
            case .float, .double: return .double(value)
            case .date: return .date(Date(timeIntervalSinceReferenceDate: value))
            default: return nil
            }
        case .text(let value):
            switch type {
            case .string, .codable: return .string(value)
            case .uri: return URL(string: value).map { .uri($0) }
            default: return nil
            }
        case .blob(let value):
            switch type {
            case .anyDecimal: return OrderedDecimal.decimal(of: value).map { .decimal($0) }
            case .uuid: return UUID(bytes: value).map { .uuid($0) }
            case .data: return .data(value)
            default: return nil
            }
        }
    }
}

extension UUID {
    /// Creates a UUID from its 16 bytes, or nil if there are not 16.
    package init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}

extension JSONWriter {
    /// Writes a value of an attribute in the spelling that all files share. Numbers are written so
    /// that they read back unchanged. Numbers that JSON lacks are texts, dates are ISO 8601, and
    /// bytes are Base64.
    ///
    /// A date beyond the calendar of ISO 8601 is written as seconds since 2001.
    package mutating func write(_ value: Value, as type: AttributeType) {
        switch value {
        case .null: write(raw: "null")
        case .bool(let value): write(raw: value ? "true" : "false")
        case .int(let value): write(raw: "\(value)")
        case .double(let value): write(number: value, as: type)
        case .decimal(let value):
            let text = value.description
            // Readers of JSON are not sure to keep more digits.
            DecimalText.significantDigits(text) < DecimalText.exactDigits
                ? write(raw: text) : write(text)
        case .date(let value):
            if let text = ISO8601Text.text(of: value) {
                write(text)
            } else {
                write(number: value.timeIntervalSinceReferenceDate, as: .double)
            }
        default: write(value.plainText)
        }
    }

    private mutating func write(number value: Double, as type: AttributeType) {
        value.isFinite
            ? write(raw: DecimalText.shortest(value, isSingle: type == .float)) : write("\(value)")
    }
}
