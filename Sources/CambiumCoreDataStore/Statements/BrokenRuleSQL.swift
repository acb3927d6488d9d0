import CambiumModel
import CambiumSQL

/// The statements that find rows that break rules which SQLite cannot check itself: some patterns,
/// and rules over more than one row.
struct BrokenRuleSQL: Sendable {
    /// The attribute with the pattern; nil for a rule.
    let property: String?
    /// The violated rule, in words.
    let reason: String
    /// Key and entity of the rows that break it.
    let query: String
    /// Takes a row away (parameter 1).
    let remove: String

    /// Returns the statements for all rules of a model that must be checked.
    static func all(in model: Model) -> [BrokenRuleSQL] {
        model.entities.flatMap { entity in
            entity.attributes.compactMap { pattern(of: $0, entity, model) }
                + entity.rules.compactMap { rule in
                    model.isEnforcedByStore(rule, of: entity)
                        ? nil
                        : BrokenRuleSQL(
                            rule.condition, entity, model, property: nil,
                            reason: "the rule \(rule.name) is broken"
                                + (rule.message.map { ": \($0)" } ?? ""))
                }
        }
    }

    private static func pattern(
        of attribute: Attribute, _ entity: Entity, _ model: Model
    ) -> BrokenRuleSQL? {
        guard let pattern = attribute.limits.pattern, !attribute.isTransient,
            !model.enforcesPattern(of: attribute)
        else { return nil }
        let value = ModelExpression.keyPath(
            root: .subject, names: model.path(attribute.name, of: entity))
        return BrokenRuleSQL(
            .or([
                .comparison(value, .equal, .literal(.null), []),
                .comparison(value, .matches, .literal(.string(pattern)), []),
            ]), entity, model, property: attribute.name,
            reason: "the value does not match the pattern")
    }

    private init?(
        _ condition: ModelExpression, _ entity: Entity, _ model: Model, property: String?,
        reason: String
    ) {
        // A condition without SQL is checked when an object is saved.
        let fragment = try? ExpressionSQL.condition(
            condition, use: .boolean, entity: entity, model: model, alias: "t", constants: .inline)
        guard let fragment, fragment.parameters.isEmpty else { return nil }
        let rows = EntityRows(of: entity, in: model)
        self.property = property
        self.reason = reason
        query =
            "SELECT t.\"_id\", \(rows.entity) FROM \(rows.table) AS t "
            + "WHERE \(rows.isOfEntity)NOT (\(fragment.text))"
        remove = rows.remove
    }
}

/// The rows of an entity's objects, in the table that its whole family has.
struct EntityRows {
    /// The table, quoted.
    let table: String
    /// SQL for the entity of a row. The table is named `t`.
    let entity: String
    /// The condition that a row is of the entity, with a conjunction to the next condition; empty
    /// if all rows are.
    let isOfEntity: String
    /// Takes a row away (parameter 1).
    var remove: String { "DELETE FROM \(table) WHERE \"_id\" = ?1" }

    init(of entity: Entity, in model: Model) {
        let root = model.root(of: entity)
        let family = model.family(of: entity).map { SQLText.literal(.text($0.name)) }
        table = SQLText.identifier(root.name)
        self.entity =
            model.hasSubentities(root) ? "t.\"_entity\"" : SQLText.literal(.text(root.name))
        isOfEntity =
            entity.parent == nil ? "" : "t.\"_entity\" IN (\(family.joined(separator: ", "))) AND "
    }
}
