extension ExchangeAttribute {
    /// The value of a CSV field; nil where it counts as left out.
    ///
    /// - Throws: ``FieldProblem`` where it is no value of the attribute.
    func stored(
        _ text: String, isQuoted: Bool, _ dates: ExchangeDateFormat
    ) throws -> StoredValue? {
        if text.isEmpty, !(isQuoted && keepsEmptyText) { return isRequired ? nil : .null }
        return try stored(text, dates)
    }

    /// Whether an empty text in quotes is a value; of others it is as good as nothing.
    private var keepsEmptyText: Bool {
        switch kind {
        case .string, .data: true
        case .textCase(let cases): cases.contains("")
        default: false
        }
    }

    /// The value of a text.
    ///
    /// - Throws: ``FieldProblem``
    func stored(_ text: String, _ dates: ExchangeDateFormat) throws -> StoredValue {
        guard let value = value(of: text, dates) else { throw FieldProblem.mismatch(self, dates) }
        return try stored(value)
    }

    private func value(of text: String, _ dates: ExchangeDateFormat) -> Value? {
        switch kind {
        case .bool:
            switch text.lowercased() {
            case "true", "1": .bool(true)
            case "false", "0": .bool(false)
            default: nil
            }
        case .integer(let range):
            Int64(text).flatMap { range.contains($0) ? .int($0) : nil }
        case .float: DecimalText.float(of: text).map { .double(Double($0)) }
        case .double: DecimalText.double(of: text).map { .double($0) }
        case .decimal: DecimalText.decimal(of: text).map { .decimal($0) }
        case .string: .string(text)
        case .date: dates.date(of: text).map { .date($0) }
        case .spelled(let type): Value(spelled: text, as: type)
        case .data: Data(base64Encoded: text).map { .data($0) }
        case .textCase(let cases): cases.contains(text) ? .string(text) : nil
        case .numberCase(let cases):
            Int64(text).flatMap { cases.contains($0) ? .int($0) : nil }
        case .codable: Self.json(text).map { .string($0) }
        }
    }

    /// A text of JSON in the form that stores hold; nil where it is none.
    private static func json(_ text: String) -> String? {
        let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        return value.flatMap { try? $0.text() }
    }

    /// A value as the text of a CSV field.
    ///
    /// - Throws: ``StoreError`` where the format cannot write it.
    func text(of value: Value, _ dates: ExchangeDateFormat) throws -> String {
        switch value {
        case .double(let value): DecimalText.shortest(value, isSingle: attribute.type == .float)
        case .date(let value): try dates.text(of: value, attribute.name)
        default: value.plainText
        }
    }
}

extension ExchangeDateFormat {
    /// The date of a text; nil where it is none.
    func date(of text: String) -> Date? {
        let date: Date? =
            switch kind {
            case .iso8601: ISO8601Text.date(of: text)
            case .seconds(let start):
                DecimalText.double(of: text)
                    .map { Date(timeIntervalSinceReferenceDate: $0 + start) }
            case .custom(let parse, _): parse(text)
            }
        return date.flatMap { $0.timeIntervalSinceReferenceDate.isFinite ? $0 : nil }
    }

    /// The text of a date of an attribute.
    func text(of date: Date, _ name: String) throws -> String {
        switch kind {
        case .iso8601:
            if let text = ISO8601Text.text(of: date) { return text }
            throw StoreError(
                code: .invalidRequest,
                message: "A date of \(name) is outside the years that ISO 8601 has.",
                remedy: "Set the date format to secondsSinceReferenceDate.")
        case .seconds(let start):
            let seconds = date.timeIntervalSinceReferenceDate - start
            // JSON has no such numbers, and no format reads one as a date.
            if seconds.isFinite { return "\(seconds)" }
            throw StoreError(
                code: .invalidRequest,
                message: "A date of \(name) is infinitely far away, and files have no such dates.",
                remedy: "Set it to another date, or to nil.")
        case .custom(_, let format): return format(date)
        }
    }
}
