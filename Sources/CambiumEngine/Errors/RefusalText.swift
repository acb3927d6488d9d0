import CambiumModel

/// What errors say of limits and rules: the same for an object that is validated, and for a row of a
/// batch operation or an import that the store refuses.
package enum RefusalText {
    package static func isRequired(_ property: String) -> String {
        "\(property) is required. Set it before saving."
    }

    package static func isBelow(_ property: String, _ minimum: some Any) -> String {
        "\(property) is below \(minimum)."
    }

    package static func isAbove(_ property: String, _ maximum: some Any) -> String {
        "\(property) is above \(maximum)."
    }

    /// - Parameter length: How long it is, such as `3 characters`.
    package static func isTooShort(_ property: String, _ length: String, _ minimum: Int) -> String {
        "\(property) has \(length); at least \(minimum) are needed."
    }

    /// - Parameter length: How long it is, such as `3 characters`.
    package static func isTooLong(_ property: String, _ length: String, _ maximum: Int) -> String {
        "\(property) has \(length); at most \(maximum) are allowed."
    }

    package static func mismatches(_ property: String, _ pattern: String) -> String {
        "\(property) does not match the pattern \(pattern)."
    }

    /// A limit of the model as a person reads it.
    package static func words(_ limit: Value) -> String {
        switch limit {
        case .date(let date): "\(date)"
        default: limit.plainText
        }
    }
}

extension Rule {
    /// What an error says where the rule does not hold: the model's own words, if it has any.
    package var refusal: String { message ?? "The rule \(name) does not hold." }
}
