extension ExpressionType {
    /// A result's value from the form that the store has it in.
    ///
    /// - Returns: nil where the stored form is not one of that type, which only another program can
    ///   have written.
    package func value(of stored: StoredValue) -> Value? {
        switch (stored, self) {
        case (.null, _): .null
        case (.integer(let value), .bool): .bool(value != 0)
        case (.integer(let value), .object), (.integer(let value), .enumeration): .int(value)
        case (.text(let value), .enumeration), (.text(let value), .codable): .string(value)
        default: AttributeType(self).flatMap(stored.value)
        }
    }

    /// A value in the form in which columns of the type hold it; nil where it has none.
    package func stored(_ value: Value) -> StoredValue? {
        switch (value, self) {
        case (.null, _): .null
        case (.int(let value), .object), (.int(let value), .enumeration): .integer(value)
        case (.string(let value), .enumeration), (.string(let value), .codable): .text(value)
        default: AttributeType(self).flatMap(value.stored)
        }
    }
}
