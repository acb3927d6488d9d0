// Attributes out of the form that predicates and sections hold.

extension Bool {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .bool(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Int {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .int(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
}

extension Int16 {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .int(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
}

extension Int32 {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .int(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
}

extension Int64 {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .int(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Float {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .double(let value) = attributeValue else { return nil }
        self.init(value)
    }
}

extension Double {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .double(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Decimal {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .decimal(let value) = attributeValue else { return nil }
        self = value
    }
}

extension String {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .string(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Date {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .date(let value) = attributeValue else { return nil }
        self = value
    }
}

extension UUID {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .uuid(let value) = attributeValue else { return nil }
        self = value
    }
}

extension URL {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .uri(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Data {
    /// The value of that form.
    public init?(attributeValue: Value) {
        guard case .data(let value) = attributeValue else { return nil }
        self = value
    }
}

extension StoredEnumeration where RawValue: AttributeValue {
    /// The case of that raw value.
    public init?(attributeValue: Value) {
        guard let rawValue = RawValue(attributeValue: attributeValue) else { return nil }
        self.init(rawValue: rawValue)
    }
}
