extension ExpressionType {
    /// A result's value from the form that the store has it in.
    ///
    /// - Returns: nil where the stored form is not one of that type, which only another program can
    ///   have written.
    package func value(of stored: StoredValue) -> Value? {
        switch (stored, self) {
        case (.null, _): .null
        case (.integer(let value), .bool): .bool(value != 0)
        case (.integer(let value), .integer), (.integer(let value), .object),
            (.integer(let value), .enumeration):
            .int(value)
        case (.integer(let value), .decimal(let scale)):
            .decimal(DecimalStorage.decimal(ofUnits: value, scale: scale))
        case (.blob(let bytes), .anyDecimal): OrderedDecimal.decimal(of: bytes).map { .decimal($0) }
        case (.real(let value), .float), (.real(let value), .double): .double(value)
        case (.real(let value), .date): .date(Date(timeIntervalSinceReferenceDate: value))
        case (.text(let value), .string), (.text(let value), .enumeration),
            (.text(let value), .codable):
            .string(value)
        case (.text(let value), .uri): URL(string: value).map { .uri($0) }
        case (.blob(let value), .uuid): UUID(bytes: value).map { .uuid($0) }
        case (.blob(let value), .data): .data(value)
        default: nil
        }
    }
}
