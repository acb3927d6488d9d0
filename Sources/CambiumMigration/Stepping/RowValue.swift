import CambiumModel

/// A type of the values in a ``MigrationRow``. Each type of the model language has a conformance.
public protocol RowValue {
    /// The value that is returned if the value is missing.
    static var emptyRowValue: Self { get }
    /// Creates a value from its stored form; nil if it is NULL, or has another type.
    init?(rowForm stored: StoredValue)
    /// The stored form.
    var rowForm: StoredValue { get }
}

extension Bool: RowValue {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: Bool { false }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self = value != 0
    }
    /// The stored form.
    public var rowForm: StoredValue { .integer(self ? 1 : 0) }
}

extension RowValue where Self: FixedWidthInteger {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: Self { 0 }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self.init(exactly: value)
    }
    /// The stored form.
    public var rowForm: StoredValue { .integer(Int64(self)) }
}

extension Int16: RowValue {}
extension Int32: RowValue {}
extension Int64: RowValue {}

extension Double: RowValue {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: Double { 0 }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .real(let value) = stored else { return nil }
        self = value
    }
    /// The stored form.
    public var rowForm: StoredValue { .real(self) }
}

extension Float: RowValue {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: Float { 0 }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .real(let value) = stored else { return nil }
        self = Float(value)
    }
    /// The stored form.
    public var rowForm: StoredValue { .real(Double(self)) }
}

extension String: RowValue {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: String { "" }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .text(let value) = stored else { return nil }
        self = value
    }
    /// The stored form.
    public var rowForm: StoredValue { .text(self) }
}

extension Data: RowValue {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: Data { Data() }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .blob(let value) = stored else { return nil }
        self = value
    }
    /// The stored form.
    public var rowForm: StoredValue { .blob(self) }
}

extension Date: RowValue {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .real(let value) = stored else { return nil }
        self.init(timeIntervalSinceReferenceDate: value)
    }
    /// The stored form.
    public var rowForm: StoredValue { .real(timeIntervalSinceReferenceDate) }
}

extension Duration: RowValue {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: Duration { .zero }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self = .nanoseconds(value)
    }
    /// The stored form; NULL for more than 292 years.
    public var rowForm: StoredValue {
        DurationStorage.nanoseconds(of: self).map { .integer($0) } ?? .null
    }
}

extension UUID: RowValue {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .blob(let value) = stored else { return nil }
        self.init(bytes: value)
    }
    /// The stored form.
    public var rowForm: StoredValue {
        .blob(withUnsafeBytes(of: uuid) { Data($0) })
    }
}

extension URL: RowValue {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: URL {
        URL(string: "about:blank") ?? URL(fileURLWithPath: "/")
    }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .text(let value) = stored else { return nil }
        self.init(string: value)
    }
    /// The stored form.
    public var rowForm: StoredValue { .text(absoluteString) }
}

extension Decimal: RowValue {
    /// The value that is returned if the value is missing.
    public static var emptyRowValue: Decimal { 0 }
    /// Creates a value from its stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .blob(let value) = stored, let decimal = OrderedDecimal.decimal(of: value)
        else { return nil }
        self = decimal
    }
    /// The stored form.
    public var rowForm: StoredValue {
        OrderedDecimal.bytes(of: self).map { .blob($0) } ?? .null
    }
}
