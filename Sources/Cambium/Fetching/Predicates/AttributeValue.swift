/// A type whose values can be compared in a predicate: those that attributes have.
public protocol AttributeValue: Sendable {
    /// The value in the form that predicates hold.
    var attributeValue: Value { get }

    /// The value of that form, or nil where it is of another type or none.
    init?(attributeValue: Value)
}

extension Bool: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .bool(self) }
}
extension Int: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .int(Int64(self)) }
}
extension Int16: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .int(Int64(self)) }
}
extension Int32: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .int(Int64(self)) }
}
extension Int64: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .int(self) }
}
extension Float: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .double(Double(self)) }
}
extension Double: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .double(self) }
}
extension Decimal: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .decimal(self) }
}
extension String: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .string(self) }
}
extension Date: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .date(self) }
}
extension UUID: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .uuid(self) }
}
extension URL: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .uri(self) }
}
extension Data: AttributeValue {
    /// The value in the form that predicates hold.
    public var attributeValue: Value { .data(self) }
}

extension StoredEnumeration where RawValue: AttributeValue {
    /// The raw value.
    public var attributeValue: Value { rawValue.attributeValue }
}

extension PropertyValue {
    /// The value of an attribute in its type: `row["price"]?.as(Decimal.self)`; nil where it is of
    /// another type, or none.
    public func `as`<Attribute: AttributeValue>(
        _ type: Attribute.Type = Attribute.self
    ) -> Attribute? {
        value.flatMap(Attribute.fitting)
    }
}
