import CambiumModel
import CambiumRecords
import CambiumSQL

// A store may reject a value that a context has accepted, or that no context has seen. The error is
// the same as for a failed validation.
extension ValidationError {
    /// The error for a row that violates a constraint of the store.
    ///
    /// - Parameters:
    ///   - constraint: The constraint.
    ///   - underlying: The error of the store's library.
    ///   - hint: Information about a conflicting row, as a sentence.
    package init(
        breaking constraint: ConstraintName, of model: ModelDescription, _ underlying: any Error,
        _ hint: String? = nil
    ) {
        switch constraint {
        case .property(let entity, let property, let check):
            let attribute = model[entity].flatMap { entity in
                entity.layout.slot(of: property).flatMap { entity.attributes[$0] }
            }
            self.init(
                code: Self.code(of: check, attribute), entityName: entity, objectID: nil,
                property: property, rule: nil,
                message: Self.refusal(of: check, property, attribute)
                    ?? Self.refusal(by: constraint), underlying: underlying)
        case .rule(let entity, let name):
            let rule = model[entity]?.entity.rules.first { $0.name == name }
            self.init(
                code: .ruleViolated, entityName: entity, objectID: nil, property: nil, rule: name,
                message: rule?.refusal ?? Self.refusal(by: constraint), underlying: underlying)
        case .unique(let entity, let properties):
            self.init(
                code: .notUnique, entityName: entity, objectID: nil,
                property: properties.count == 1 ? properties[0] : nil, rule: nil,
                message: "Another object has the same \(properties.joined(separator: ", "))."
                    + (hint.map { " \($0)" } ?? ""),
                underlying: underlying)
        }
    }

    /// The error for a key that references no row when a save ends.
    package static func danglingKey(
        _ underlying: any Error, _ hint: String? = nil
    ) -> ValidationError {
        ValidationError(
            code: .missing, entityName: "", objectID: nil, property: nil, rule: nil,
            message: "Another object still references an object that is being deleted, or was "
                + "deleted. Give the relationship an inverse, or clear the reference first."
                + (hint.map { " \($0)" } ?? ""),
            underlying: underlying)
    }

    private static func code(of check: ConstraintName.Check, _ attribute: Attribute?) -> Code {
        switch check {
        case .minimum: attribute?.type == .date ? .dateTooSoon : .numberTooSmall
        case .maximum: attribute?.type == .date ? .dateTooLate : .numberTooLarge
        case .range: .numberTooLarge
        case .minimumLength: .tooShort
        case .maximumLength: .tooLong
        case .required, .presence: .missing
        case .pattern: .patternMismatch
        }
    }

    /// The message of a save about the same limit; nil if the model has none.
    private static func refusal(
        of check: ConstraintName.Check, _ property: String, _ attribute: Attribute?
    ) -> String? {
        let limits = attribute?.limits
        let unit = attribute?.type == .data ? "bytes" : "characters"
        switch check {
        case .minimum:
            return limits?.minimum.map { RefusalText.isBelow(property, RefusalText.words($0)) }
        case .maximum:
            return limits?.maximum.map { RefusalText.isAbove(property, RefusalText.words($0)) }
        case .minimumLength:
            return limits?.minimumLength.map {
                RefusalText.isTooShort(property, "too few \(unit)", $0)
            }
        case .maximumLength:
            return limits?.maximumLength.map {
                RefusalText.isTooLong(property, "too many \(unit)", $0)
            }
        case .pattern:
            return limits?.pattern.map { RefusalText.mismatches(property, $0) }
        case .required:
            return RefusalText.isRequired(property)
        case .presence:
            return "\(property) lacks a part that it requires. Set all of those, or none."
        case .range:
            return nil
        }
    }

    private static func refusal(by constraint: ConstraintName) -> String {
        "The store's check \(constraint.text) refused the row."
    }
}
