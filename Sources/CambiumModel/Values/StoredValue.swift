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
        switch (self, type) {
        case (.null, _):
            .null
        case (.bool(let value), .bool):
            .integer(value ? 1 : 0)
        case (.int(let value), .int16):
            Int16(exactly: value).map { .integer(Int64($0)) }
        case (.int(let value), .int32):
            Int32(exactly: value).map { .integer(Int64($0)) }
        case (.int(let value), .int64):
            .integer(value)
        case (.int(let value), .float), (.int(let value), .double):
            .real(Double(value))
        case (.double(let value), .float), (.double(let value), .double):
            .real(value)
        case (.int(let value), .decimal(let scale)):
            DecimalStorage.units(of: Decimal(value), scale: scale).map { .integer($0) }
        case (.decimal(let value), .decimal(let scale)):
            DecimalStorage.units(of: value, scale: scale).map { .integer($0) }
        case (.int(let value), .anyDecimal):
            OrderedDecimal.bytes(of: Decimal(value)).map { .blob($0) }
        case (.decimal(let value), .anyDecimal):
            OrderedDecimal.bytes(of: value).map { .blob($0) }
        case (.string(let value), .string), (.string(let value), .codable):
            .text(value)
        case (.uri(let value), .uri):
            .text(value.absoluteString)
        case (.date(let value), .date):
            .real(value.timeIntervalSinceReferenceDate)
        case (.duration(let value), .duration):
            DurationStorage.nanoseconds(of: value).map { .integer($0) }
        case (.uuid(let value), .uuid):
            .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
        case (.data(let value), .data):
            .blob(value)
        default:
            nil
        }
    }
}

extension StoredValue {
    /// The value of an attribute of any type but an enumeration, for which a model is needed.
    ///
    /// - Returns: nil where this is not a form of that type.
    package func value(as type: AttributeType) -> Value? {
        switch (self, type) {
        case (.null, _):
            .null
        case (.integer(let value), .bool):
            value == 0 || value == 1 ? .bool(value == 1) : nil
        case (.integer(let value), .int16):
            Int16(exactly: value).map { .int(Int64($0)) }
        case (.integer(let value), .int32):
            Int32(exactly: value).map { .int(Int64($0)) }
        case (.integer(let value), .int64):
            .int(value)
        case (.integer(let value), .decimal(let scale)):
            .decimal(DecimalStorage.decimal(ofUnits: value, scale: scale))
        case (.real(let value), .float), (.real(let value), .double):
            .double(value)
        case (.real(let value), .date):
            .date(Date(timeIntervalSinceReferenceDate: value))
        case (.blob(let value), .anyDecimal):
            OrderedDecimal.decimal(of: value).map { .decimal($0) }
        case (.text(let value), .string), (.text(let value), .codable):
            .string(value)
        case (.text(let value), .uri):
            URL(string: value).map { .uri($0) }
        case (.integer(let value), .duration):
            .duration(.nanoseconds(value))
        case (.blob(let value), .uuid):
            UUID(bytes: value).map { .uuid($0) }
        case (.blob(let value), .data):
            .data(value)
        default:
            nil
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
