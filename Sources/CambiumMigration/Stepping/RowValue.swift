import CambiumModel

/// A type of values that a ``MigrationRow`` has. The conformances are those of the model language's
/// types.
public protocol RowValue {
    /// What a missing value reads as.
    static var emptyRowValue: Self { get }
    /// The value of a stored form; nil where there is none, or one of another type.
    init?(rowForm stored: StoredValue)
    /// The form in which the store has it.
    var rowForm: StoredValue { get }
}

extension Bool: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Bool { false }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self = value != 0
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .integer(self ? 1 : 0) }
}

extension RowValue where Self: FixedWidthInteger {
    /// What a missing value reads as.
    public static var emptyRowValue: Self { 0 }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self.init(exactly: value)
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .integer(Int64(self)) }
}

extension Int16: RowValue {}
extension Int32: RowValue {}
extension Int64: RowValue {}

extension Double: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Double { 0 }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .real(let value) = stored else { return nil }
        self = value
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .real(self) }
}

extension Float: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Float { 0 }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .real(let value) = stored else { return nil }
        self = Float(value)
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .real(Double(self)) }
}

extension String: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: String { "" }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .text(let value) = stored else { return nil }
        self = value
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .text(self) }
}

extension Data: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Data { Data() }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .blob(let value) = stored else { return nil }
        self = value
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .blob(self) }
}

extension Date: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .real(let value) = stored else { return nil }
        self.init(timeIntervalSinceReferenceDate: value)
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .real(timeIntervalSinceReferenceDate) }
}

extension Duration: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Duration { .zero }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self = .nanoseconds(value)
    }
    /// The form in which the store has it; null of more than 292 years.
    public var rowForm: StoredValue {
        DurationStorage.nanoseconds(of: self).map { .integer($0) } ?? .null
    }
}

extension UUID: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .blob(let value) = stored else { return nil }
        self.init(bytes: value)
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue {
        .blob(withUnsafeBytes(of: uuid) { Data($0) })
    }
}

extension URL: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: URL {
        URL(string: "about:blank") ?? URL(fileURLWithPath: "/")
    }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .text(let value) = stored else { return nil }
        self.init(string: value)
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .text(absoluteString) }
}

extension Decimal: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Decimal { 0 }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .blob(let value) = stored, let decimal = OrderedDecimal.decimal(of: value)
        else { return nil }
        self = decimal
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue {
        OrderedDecimal.bytes(of: self).map { .blob($0) } ?? .null
    }
}
