import CambiumModel

/// The value that says least, for existing objects that have to have one.
enum NeutralValue {
    /// The expression, and its text; nil for types that have no such value, and where the
    /// attribute's limits do not allow it.
    static func fill(
        _ attribute: Attribute, of entity: Entity, in model: Model
    ) -> (text: String, value: ModelExpression)? {
        guard let text = text(for: attribute, in: model) else { return nil }
        let checked = ExpressionCompiler.fill(
            text, as: attribute.type, entity: entity, model: model, former: nil)
        guard case .success(let value) = checked else { return nil }
        return (text, value)
    }

    private static func text(for attribute: Attribute, in model: Model) -> String? {
        let limits = attribute.limits
        guard limits.pattern == nil else { return nil }
        switch attribute.type {
        case .string:
            return "'" + String(repeating: "-", count: limits.minimumLength ?? 0) + "'"
        case .enumeration(let name):
            return model.enumeration(named: name)?.cases.first.map { "'\($0.name)'" }
        case .date where limits.minimum != nil || limits.maximum != nil:
            return nil
        case let type:
            // Zero, or the limit that is nearest to it.
            let nearest =
                limits.minimum.flatMap { $0.sign == 1 ? $0 : nil }
                ?? limits.maximum.flatMap { $0.sign == -1 ? $0 : nil }
            return nearest.map { "\(ModelExpression.literal($0))" } ?? type.descriptor.neutral
        }
    }
}
