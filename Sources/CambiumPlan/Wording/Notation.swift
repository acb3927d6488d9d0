import CambiumModel

extension AttributeType {
    /// The type in few words, for people: as the model language writes it, a decimal with its
    /// scale, a program's own type by its name.
    package var notation: String {
        switch self {
        case .decimal(let scale): "decimal(\(scale))"
        case .anyDecimal: "decimal(any)"
        case .codable(let type): type
        default: word
        }
    }

    /// The word for it in a model.
    package var word: String {
        switch self {
        case .decimal, .anyDecimal: "decimal"
        case .enumeration(let name): name
        default: caseName
        }
    }
}

extension AttributeType {
    /// The type of that notation; nil of one that a model or program names, or of none.
    package init?(notation: String) {
        if let type = Self.plain.first(where: { $0.notation == notation }) {
            self = type
        } else if notation.hasPrefix("decimal("), let scale = Int(notation.dropFirst(8).dropLast())
        {
            self = .decimal(scale: scale)
        } else {
            return nil
        }
    }
}

extension Value {
    /// The value as the model language writes it.
    package var notation: String {
        switch self {
        case .null: "nil"
        case .double(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        case .string(let value): "'\(value)'"
        case .data(let value): "\(value.count) bytes"
        default: plainText
        }
    }
}

extension Limits {
    /// The limits in few words, for people.
    package var notation: String {
        let words = [
            minimum.map { "at least \($0.notation)" }, maximum.map { "at most \($0.notation)" },
            minimumLength.map { "length at least \($0)" },
            maximumLength.map { "length at most \($0)" }, pattern.map { "matches \($0)" },
        ].compactMap { $0 }
        return words.isEmpty ? "none" : words.joined(separator: ", ")
    }

    /// Returns the limits that others do not have in the same words.
    package func without(_ others: Limits) -> Limits {
        Limits(
            minimum: minimum?.notation == others.minimum?.notation ? nil : minimum,
            maximum: maximum?.notation == others.maximum?.notation ? nil : maximum,
            minimumLength: minimumLength == others.minimumLength ? nil : minimumLength,
            maximumLength: maximumLength == others.maximumLength ? nil : maximumLength,
            pattern: pattern == others.pattern ? nil : pattern)
    }
}
