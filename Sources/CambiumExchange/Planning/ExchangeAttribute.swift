/// An attribute in files: its slot, and the values that it accepts. A class, because it is used for
/// each value of a file; a struct with names would be copied each time.
final class ExchangeAttribute: Sendable {
    /// The form of a value in a file.
    enum Kind: Sendable {
        case bool
        case integer(ClosedRange<Int64>)
        case float
        case double
        case decimal
        case string
        case date
        /// A value with a string form of its own: a UUID or a URI.
        case spelled(AttributeType)
        case data
        case textCase(Set<String>)
        case numberCase(Set<Int64>)
        case codable
    }

    let attribute: Attribute
    let slot: Int
    let kind: Kind
    private let model: Model

    init(_ attribute: Attribute, slot: Int, in model: Model) {
        self.attribute = attribute
        self.slot = slot
        self.model = model
        kind = Self.kind(of: attribute.type, in: model)
    }

    /// Whether nil is invalid.
    var isRequired: Bool { !attribute.isOptional }

    private static func kind(of type: AttributeType, in model: Model) -> Kind {
        switch type {
        case .bool: .bool
        case .int16, .int32, .int64: .integer(type.descriptor.integers ?? 0...0)
        case .float: .float
        case .double: .double
        case .decimal, .anyDecimal: .decimal
        case .string: .string
        case .date: .date
        case .data: .data
        case .codable: .codable
        case .enumeration(let name): kind(of: model.enumeration(named: name))
        default: .spelled(type)
        }
    }

    private static func kind(of enumeration: Enumeration?) -> Kind {
        let values = enumeration?.cases.map(\.rawValue) ?? []
        if enumeration?.rawType == .string {
            return .textCase(
                Set(values.compactMap { if case .string(let text) = $0 { text } else { nil } }))
        }
        return .numberCase(
            Set(values.compactMap { if case .int(let number) = $0 { number } else { nil } }))
    }

    /// The stored form of a value.
    ///
    /// - Throws: ``FieldProblem`` if the attribute cannot store it.
    func stored(_ value: Value) throws -> StoredValue {
        guard let stored = model.stored(value, of: attribute) else {
            throw FieldProblem.unfit(self)
        }
        return stored
    }

    /// The value of a stored form.
    func value(_ stored: StoredValue) -> Value {
        model.value(stored, as: attribute.type) ?? .null
    }
}

/// The reason why a field has no value for its attribute. It is the end of a sentence that begins
/// with the field's name.
struct FieldProblem: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// The value is not of the attribute's type.
    static func mismatch(
        _ attribute: ExchangeAttribute, _ dates: ExchangeDateFormat
    ) -> FieldProblem {
        switch attribute.kind {
        case .bool: FieldProblem("is neither true nor false. Write one of those.")
        case .integer(let range):
            FieldProblem(
                "is not an integer from \(range.lowerBound) to \(range.upperBound). "
                    + "Write digits alone.")
        case .float, .double: FieldProblem("is not a number. Write one such as 12.5 or 1e-3.")
        case .decimal:
            FieldProblem(
                "is not a decimal number of up to \(DecimalText.exactDigits) digits. Write one such "
                    + "as 12.50, with more than 37 digits as a text.")
        case .string: FieldProblem("is not a string. Put it in quotes.")
        case .date: date(dates)
        case .spelled(let type):
            FieldProblem(
                "is not \(type.descriptor.noun.withArticle). Write one such as \(type.descriptor.example)."
            )
        case .data: FieldProblem("is not Base64. Encode the bytes so.")
        case .textCase(let cases):
            FieldProblem("is not a case of its enumeration. Write \(list(cases.sorted())).")
        case .numberCase(let cases):
            FieldProblem(
                "is not a case of its enumeration. Write \(list(cases.sorted().map { "\($0)" })).")
        case .codable: FieldProblem("is not JSON. Write the value as its type is encoded.")
        }
    }

    private static func date(_ dates: ExchangeDateFormat) -> FieldProblem {
        switch dates.kind {
        case .iso8601:
            FieldProblem("is not an ISO 8601 date. Write one such as 2026-11-22T09:30:00Z.")
        case .seconds: FieldProblem("is not a date. Write a number of seconds.")
        case .custom: FieldProblem("is not a date in the program's format.")
        }
    }

    /// Texts as a person reads them, not too many.
    static func list(_ cases: [String]) -> String {
        let shown = cases.prefix(10).joined(separator: ", ")
        return cases.count > 10 ? "one of \(shown), …" : shown
    }

    /// The value is of the type, and too great or too exact.
    static func unfit(_ attribute: ExchangeAttribute) -> FieldProblem {
        if case .decimal(let scale) = attribute.attribute.type {
            return FieldProblem(
                "has more than \(scale) decimal places, or too many digits. Round it.")
        }
        return FieldProblem("has a value that the attribute cannot keep.")
    }

    static let required = FieldProblem(
        "is required. Give it a value, or leave the field out to keep what there is.")
}

extension ExchangeAttribute {
    /// The value of a CSV field; nil if the field counts as left out.
    ///
    /// - Throws: ``FieldProblem`` if it is not a value of the attribute.
    func stored(
        _ text: String, isQuoted: Bool, _ dates: ExchangeDateFormat
    ) throws -> StoredValue? {
        if text.isEmpty, !(isQuoted && keepsEmptyText) { return isRequired ? nil : .null }
        return try stored(text, dates)
    }

    /// Whether an empty string in quotes is a value. For other types it counts as left out.
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
        return try stored(dates.kept?.rounded(value) ?? value)
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

    /// A string of JSON in the form that stores contain; nil if it is not JSON.
    private static func json(_ text: String) -> String? {
        let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        return value.flatMap { try? $0.text() }
    }

    /// A value as the text of a CSV field.
    ///
    /// - Throws: ``StoreError`` if the format cannot write it.
    func text(of value: Value, _ dates: ExchangeDateFormat) throws -> String {
        switch value {
        case .double(let value): DecimalText.shortest(value, isSingle: attribute.type == .float)
        case .date(let value): try dates.text(of: value, attribute.name)
        default: value.plainText
        }
    }
}

extension ExchangeDateFormat {
    /// The date of a string; nil if it is not a date.
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

extension ExchangeAttribute {
    /// The value of a JSON value that is not null.
    ///
    /// - Throws: ``FieldProblem`` if it is not a value of the attribute.
    func stored(from source: some JSONScalar, _ dates: ExchangeDateFormat) throws -> StoredValue {
        // The error of the decoder is not shown, because it names Swift types.
        guard let value = try? self.value(from: source, dates) else {
            throw FieldProblem.mismatch(self, dates)
        }
        return try stored(dates.kept?.rounded(value) ?? value)
    }

    private func value(
        from source: some JSONScalar, _ dates: ExchangeDateFormat
    ) throws -> Value? {
        switch kind {
        case .bool:
            return .bool(try source.decode(Bool.self))
        case .integer(let range):
            let number = try source.decode(Int64.self)
            return range.contains(number) ? .int(number) : nil
        case .float:
            if let number = try? source.decode(Float.self) { return .double(Double(number)) }
            return try infinity(source)
        case .double:
            if let number = try? source.decode(Double.self) { return .double(number) }
            return try infinity(source)
        case .decimal:
            guard let number = try? source.decode(Decimal.self) else {
                return DecimalText.decimal(of: try source.decode(String.self)).map { .decimal($0) }
            }
            // The decoder drops digits that do not fit. With so many digits, it is unknown whether
            // any were lost.
            return DecimalText.hasExactDigits(number) ? .decimal(number) : nil
        case .date:
            if case .seconds(let start) = dates.kind {
                return .date(
                    Date(timeIntervalSinceReferenceDate: try source.decode(Double.self) + start))
            }
            return dates.date(of: try source.decode(String.self)).map { .date($0) }
        case .numberCase(let cases):
            let number = try source.decode(Int64.self)
            return cases.contains(number) ? .int(number) : nil
        case .textCase(let cases):
            let text = try source.decode(String.self)
            return cases.contains(text) ? .string(text) : nil
        case .string:
            return .string(try source.decode(String.self))
        case .codable:
            // Only this type accepts null as a value when it is decoded.
            let value = try source.decode(JSONValue.self)
            if case .null = value { return nil }
            return .string(try value.text())
        case .spelled(let type):
            return Value(spelled: try source.decode(String.self), as: type)
        case .data:
            return Data(base64Encoded: try source.decode(String.self)).map { .data($0) }
        }
    }

    /// JSON has no numbers for infinity, so strings are used.
    private func infinity(_ source: some JSONScalar) throws -> Value? {
        switch try source.decode(String.self) {
        case "inf": .double(.infinity)
        case "-inf": .double(-.infinity)
        default: nil
        }
    }

    /// Writes a value as JSON.
    ///
    /// - Throws: ``StoreError`` if the format cannot write it.
    func write(_ value: Value, to json: inout JSONWriter, _ dates: ExchangeDateFormat) throws {
        switch value {
        case .string(let value):
            if case .codable = kind {
                json.write(raw: try JSONValue(text: value).text())
            } else {
                json.write(value)
            }
        case .date(let value):
            let text = try dates.text(of: value, attribute.name)
            if case .seconds = dates.kind { json.write(raw: text) } else { json.write(text) }
        default:
            json.write(value, as: attribute.type)
        }
    }
}

/// A position in JSON that has one value.
///
/// The common types have methods of their own, because the decoder reads them faster: for an
/// unknown type it first makes a decoder for the value.
protocol JSONScalar {
    func decode(_ type: Bool.Type) throws -> Bool
    func decode(_ type: Int64.Type) throws -> Int64
    func decode(_ type: Float.Type) throws -> Float
    func decode(_ type: Double.Type) throws -> Double
    func decode(_ type: String.Type) throws -> String
    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded
}

/// The value of a member of an object.
struct JSONMember: JSONScalar {
    let container: KeyedDecodingContainer<FieldName>
    let key: FieldName

    func decode(_ type: Bool.Type) throws -> Bool { try container.decode(type, forKey: key) }
    func decode(_ type: Int64.Type) throws -> Int64 { try container.decode(type, forKey: key) }
    func decode(_ type: Float.Type) throws -> Float { try container.decode(type, forKey: key) }
    func decode(_ type: Double.Type) throws -> Double { try container.decode(type, forKey: key) }
    func decode(_ type: String.Type) throws -> String { try container.decode(type, forKey: key) }

    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        try container.decode(type, forKey: key)
    }
}

/// A value by itself, such as an element of an array.
struct JSONElement: JSONScalar {
    let container: any SingleValueDecodingContainer

    func decode(_ type: Bool.Type) throws -> Bool { try container.decode(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try container.decode(type) }
    func decode(_ type: Float.Type) throws -> Float { try container.decode(type) }
    func decode(_ type: Double.Type) throws -> Double { try container.decode(type) }
    func decode(_ type: String.Type) throws -> String { try container.decode(type) }

    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        try container.decode(type)
    }
}
