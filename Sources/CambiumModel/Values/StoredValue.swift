/// A value in the form in which SQLite holds it.
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
    /// The stored form of a value of any type but an enumeration, for which a model is needed.
    ///
    /// - Returns: nil where the value is of another type or does not fit.
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
    /// The value of an attribute of any type but an enumeration, for which a model is needed.
    ///
    /// - Returns: nil where this is not a form of that type.
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
    /// A UUID from its 16 bytes, or nil where there are not 16.
    package init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}
