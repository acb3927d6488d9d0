import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Tells from SQLite's words which constraint of the model a row broke, so that the store's refusal
/// comes as the same error as a failed validation.
enum ConstraintFailure {
    /// SQLite's code of all of them.
    static let primaryCode: Int32 = 19
    private static let check: Int32 = 275
    private static let foreignKey: Int32 = 787
    private static let notNull: Int32 = 1299
    private static let unique: Int32 = 2067

    /// What a commit answers when a key is dangling.
    static var danglingKey: SQLiteError {
        SQLiteError(code: foreignKey, message: "FOREIGN KEY constraint failed")
    }

    static func isUnique(_ error: SQLiteError) -> Bool { error.code == unique }

    static func isForeignKey(_ error: SQLiteError) -> Bool { error.code == foreignKey }

    /// The error that a program sees.
    static func error(for error: SQLiteError, in model: ModelDescription) -> any Error {
        validationError(for: error, in: model) ?? error
    }

    private static func validationError(
        for error: SQLiteError, in model: ModelDescription
    ) -> ValidationError? {
        // "CHECK constraint failed: Product.price.min", "UNIQUE constraint failed: Product.sku"
        let subject = error.message.firstIndex(of: ":").map {
            String(error.message[$0...].dropFirst(2))
        }
        switch error.code {
        case check:
            return subject.flatMap { checkError($0, error, model) }
        case unique:
            return subject.flatMap { uniqueError($0, error, model) }
        case notNull:
            guard
                case .property(let entity, let property, _) =
                    model.model.constraint(failedWith: error.message)
            else { return nil }
            return make(
                .missing, entity, property, nil, RefusalText.isRequired(property), error)
        case foreignKey:
            return make(
                .missing, "", nil, nil,
                "Another object still references an object that is being deleted, or was deleted. "
                    + "Give the relationship an inverse, or clear the reference first.", error)
        default:
            return nil
        }
    }

    private static func checkError(
        _ name: String, _ error: SQLiteError, _ model: ModelDescription
    ) -> ValidationError? {
        switch ConstraintName(name) {
        case .property(let entity, let property, let check):
            let attribute = model[entity].flatMap { entity in
                entity.layout.slot(of: property).flatMap { entity.attributes[$0] }
            }
            return make(
                code(of: check, attribute), entity, property, nil,
                refusal(of: check, property, attribute) ?? refusal(by: name), error)
        case .rule(let entity, let name):
            let rule = model[entity]?.entity.rules.first { $0.name == name }
            return make(
                .ruleViolated, entity, nil, name, rule?.refusal ?? refusal(by: name), error)
        case .unique, nil:
            return nil
        }
    }

    private static func code(
        of check: ConstraintName.Check, _ attribute: Attribute?
    ) -> ValidationError.Code {
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

    /// What a save says of the same limit; nil where the model has none.
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

    private static func refusal(by check: String) -> String {
        "The store's check \(check) refused the row."
    }

    private static func uniqueError(
        _ subject: String, _ error: SQLiteError, _ model: ModelDescription
    ) -> ValidationError? {
        // Either `index 'name'` or a list of `table.column`.
        if case .unique(let entity, let properties)? =
            model.model.constraint(failedWith: error.message)
        {
            return make(
                .notUnique, entity, properties.count == 1 ? properties[0] : nil, nil,
                "Another object has the same \(properties.joined(separator: ", ")).", error)
        }
        let columns = subject.split(separator: ", ").compactMap { split(String($0)) }
        let entity = columns.first?.table ?? subject
        let properties = columns.map(\.column).joined(separator: ", ")
        return make(
            .notUnique, entity, columns.count == 1 ? columns[0].column : nil, nil,
            "Another object has the same \(properties.isEmpty ? subject : properties).", error)
    }

    private static func split(_ name: String) -> (table: String, column: String)? {
        guard let dot = name.firstIndex(of: ".") else { return nil }
        return (String(name[..<dot]), String(name[name.index(after: dot)...]))
    }

    private static func make(
        _ code: ValidationError.Code, _ entity: String, _ property: String?, _ rule: String?,
        _ message: String, _ error: SQLiteError
    ) -> ValidationError {
        ValidationError(
            code: code, entityName: entity, objectID: nil, property: property, rule: rule,
            message: message, underlying: error)
    }
}
