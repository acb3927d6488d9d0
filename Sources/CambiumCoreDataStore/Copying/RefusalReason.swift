import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Says in words why the new store does not take a row.
struct RefusalReason {
    let model: Model
    let root: Entity

    /// - Parameters:
    ///   - entity: The row's entity, if known.
    ///   - value: Returns the row of ``ObjectCopySQL/valueQuery(_:of:)`` for an attribute.
    func of(
        _ error: SQLiteError, entity: Entity?,
        value: (_ property: String) -> [StoredValue]? = { _ in nil }
    ) -> (property: String?, reason: String) {
        switch model.constraint(failedWith: error.message, entity: entity) {
        case .property(_, let property, let check)?:
            return (property, Self.words[check] ?? "the value breaks a rule")
        case .rule(let owner, let name)?:
            let rule = model.entity(named: owner)?.rules.first { $0.name == name }
            return (nil, "the rule \(name) is broken" + (rule?.message.map { ": \($0)" } ?? ""))
        case .unique(_, let properties)?:
            return (
                properties.first,
                "another row has the same \(properties.joined(separator: " and "))"
            )
        case nil: break
        }
        // cannot store TEXT value in INTEGER column Product.stock
        let words = error.message.split(separator: " ")
        if error.message.hasPrefix("cannot store "), let column = words.last {
            let name = column.split(separator: ".").dropFirst().joined(separator: ".")
            let property = property(ofColumn: name, entity: entity)
            let type = property.flatMap { model.attribute($0, of: entity ?? root)?.type }
            if case .decimal(let scale)? = type, error.message.contains(" BLOB ") {
                return (
                    property,
                    "the number has more than \(scale) places after the point, or is too great"
                )
            }
            let shown = property.flatMap(value)?.words ?? "the value"
            return (
                property ?? name,
                type.map { "\(shown) is not a value of the type \($0.word)" }
                    ?? "\(shown) is not a value of the property's type"
            )
        }
        return (nil, error.message)
    }

    private func property(ofColumn column: String, entity: Entity?) -> String? {
        let entities = entity.map { model.lineage(of: $0) } ?? model.family(of: root)
        for entity in entities {
            let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
            if let name = names.first(where: { model.column(of: $0, in: entity) == column }) {
                return name
            }
        }
        return nil
    }

    private static let words: [ConstraintName.Check: String] = [
        .minimum: "the value is less than the minimum",
        .maximum: "the value is greater than the maximum",
        .minimumLength: "the value is too short", .maximumLength: "the value is too long",
        .pattern: "the value does not match the pattern",
        .range: "the value is out of the range of its type",
        .required: "a value is required, and there is none",
        .presence: "a part of the value is required, and there is none",
    ]
}

extension [StoredValue] {
    /// The type and value of a row of ``ObjectCopySQL/valueQuery(_:of:)``, for people.
    fileprivate var words: String? {
        guard count == 2 else { return nil }
        switch self[1] {
        case .text(let text):
            let limit = ObjectCopySQL.shownLength
            return text.count > limit ? "'\(text.prefix(limit))…'" : "'\(text)'"
        case .integer(let length) where self[0] == .text("blob"): return "\(length) bytes"
        case .integer(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .blob, .null: return nil
        }
    }
}
