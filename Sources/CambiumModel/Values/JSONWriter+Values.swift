extension JSONWriter {
    /// Writes a value of an attribute in the spelling that all files share: numbers so that they
    /// lead back to themselves, what JSON has no numbers for as texts, dates as ISO 8601, bytes as
    /// Base64.
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
