import CambiumModel

/// SQL for values that existing objects get.
enum ValueSource {
    /// The value of a fill over the columns of the new table, or nil where the store alone cannot
    /// compute it.
    ///
    /// - Parameter former: What the objects were, as `Model.formerRow(of:in:)` has it.
    static func fill(
        _ expression: ModelExpression, for attribute: Attribute, of entity: Entity,
        in model: Model, former: Entity?
    ) -> String? {
        if case .literal(let value) = expression {
            return literal(value, for: attribute, in: model)
        }
        guard !uses(expression, derivedOf: entity, in: model) else { return nil }
        let value = model.fillValue(expression, for: attribute, of: entity, former: former)
        return attribute.usesExternalForm ? value.map(inline) : value
    }

    private static func literal(
        _ value: Value, for attribute: Attribute, in model: Model
    ) -> String? {
        guard let stored = model.stored(value, as: attribute.type) else { return nil }
        if stored == .null, !attribute.isOptional { return nil }
        let text = SQLText.literal(stored)
        return attribute.usesExternalForm && stored != .null ? inline(text) : text
    }

    private static func inline(_ value: String) -> String {
        "CAST(x'01' || \(value) AS BLOB)"
    }

    /// A derived attribute has no value before all others have theirs.
    private static func uses(
        _ expression: ModelExpression, derivedOf entity: Entity, in model: Model
    ) -> Bool {
        let derived = Set(
            model.attributes(of: entity).filter { $0.derivation != nil }.map(\.name))
        guard !derived.isEmpty else { return false }
        let sources = DerivationSources(of: expression, entity: entity, in: model)
        return !derived.isDisjoint(with: sources.nodes[0].properties)
    }

    /// The default as existing objects get it, or nil where there is none.
    static func defaultValue(of attribute: Attribute, in model: Model) -> String? {
        switch attribute.defaultValue {
        case nil:
            nil
        case .constant:
            model.sqlDefault(of: attribute).map(SQLText.literal)
        case .now:
            SQLiteDialect().now.text
        case .newUUID:
            SQLiteDialect().randomUUID.text
        }
    }
}
