/// An attribute as files have it: where its values go, and which of them are any. A class, because
/// each value of a file is read by one: a struct of names would be copied each time.
final class ExchangeAttribute: Sendable {
    /// What a value is in a file.
    enum Kind: Sendable {
        case bool
        case integer(ClosedRange<Int64>)
        case float
        case double
        case decimal
        case string
        case date
        /// What is written as a text of its own form: UUIDs, URIs.
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

    /// Whether nil is no value of it.
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
    /// - Throws: ``FieldProblem`` where the attribute cannot keep it.
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

/// Why a field has no value for its attribute, as the end of a sentence that begins with the
/// field's name.
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
        case .float, .double: FieldProblem("is no number. Write one such as 12.5 or 1e-3.")
        case .decimal:
            FieldProblem(
                "is no decimal number of up to \(DecimalText.exactDigits) digits. Write one such "
                    + "as 12.50, with more than 37 digits as a text.")
        case .string: FieldProblem("is no text. Put it in quotes.")
        case .date: date(dates)
        case .spelled(let type):
            FieldProblem(
                "is no \(type.descriptor.noun). Write one such as \(type.descriptor.example).")
        case .data: FieldProblem("is no Base64. Encode the bytes so.")
        case .textCase(let cases):
            FieldProblem("is no case of its enumeration. Write \(list(cases.sorted())).")
        case .numberCase(let cases):
            FieldProblem(
                "is no case of its enumeration. Write \(list(cases.sorted().map { "\($0)" })).")
        case .codable: FieldProblem("is no JSON. Write the value as its type is encoded.")
        }
    }

    private static func date(_ dates: ExchangeDateFormat) -> FieldProblem {
        switch dates.kind {
        case .iso8601:
            FieldProblem("is no date of ISO 8601. Write one such as 2026-11-22T09:30:00Z.")
        case .seconds: FieldProblem("is no date. Write a number of seconds.")
        case .custom: FieldProblem("is no date in the program's format.")
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
