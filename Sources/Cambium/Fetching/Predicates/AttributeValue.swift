/// A type of attribute values. Predicates can compare them.
public protocol AttributeValue: PredicateArgument, Sendable {
    /// The value in the form that predicates use.
    var attributeValue: Value { get }

    /// Creates the value from that form, or returns nil if it is nil or of another type.
    init?(attributeValue: Value)
}

/// A type of attribute values that can be added: numbers and durations.
public protocol AdditiveAttribute: AttributeValue, AdditiveArithmetic {
    /// The type of a sum: `Int` for integers, otherwise the same type.
    associatedtype Sum: AttributeValue = Self
}

extension Int: AdditiveAttribute {}
extension Int16: AdditiveAttribute {
    /// The sum has as many bits as the platform's `Int`.
    public typealias Sum = Int
}
extension Int32: AdditiveAttribute {
    /// The sum has as many bits as the platform's `Int`.
    public typealias Sum = Int
}
extension Int64: AdditiveAttribute {
    /// The sum has as many bits as the platform's `Int`.
    public typealias Sum = Int
}
extension Float: AdditiveAttribute {}
extension Double: AdditiveAttribute {}
extension Decimal: AdditiveAttribute {}
extension Duration: AdditiveAttribute {}

extension Bool: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .bool(self) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .bool(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Int: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .int(Int64(self)) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .int(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
}

extension Int16: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .int(Int64(self)) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .int(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
}

extension Int32: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .int(Int64(self)) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .int(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
}

extension Int64: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .int(self) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .int(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Float: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .double(Double(self)) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .double(let value) = attributeValue else { return nil }
        self.init(value)
    }
}

extension Double: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .double(self) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .double(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Decimal: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .decimal(self) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .decimal(let value) = attributeValue else { return nil }
        self = value
    }
}

extension String: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .string(self) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .string(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Date: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .date(self) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .date(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Duration: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .duration(self) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .duration(let value) = attributeValue else { return nil }
        self = value
    }
}

extension UUID: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .uuid(self) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .uuid(let value) = attributeValue else { return nil }
        self = value
    }
}

extension URL: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .uri(self) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .uri(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Data: AttributeValue {
    /// The value in the form that predicates use.
    public var attributeValue: Value { .data(self) }

    /// Creates the value from that form, or returns nil if it is of another type.
    public init?(attributeValue: Value) {
        guard case .data(let value) = attributeValue else { return nil }
        self = value
    }
}

extension StoredEnumeration where RawValue: AttributeValue {
    /// The raw value.
    public var attributeValue: Value { rawValue.attributeValue }

    /// Creates the case of that raw value, or returns nil if there is none.
    public init?(attributeValue: Value) {
        guard let rawValue = RawValue(attributeValue: attributeValue) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension PropertyValue {
    /// Returns the value as an attribute type, or nil if it is nil or of another type:
    /// `row["price"]?.as(Decimal.self)`.
    public func `as`<Attribute: AttributeValue>(
        _ type: Attribute.Type = Attribute.self
    ) -> Attribute? {
        value.flatMap(Attribute.fitting)
    }
}
