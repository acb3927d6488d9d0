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
        case .bool: return "FALSE"
        case .int16, .int32, .int64, .float, .double, .decimal, .anyDecimal:
            // Zero, or the bound that is nearest to it.
            if let minimum = limits.minimum, Value.isLess(.int(0), minimum) {
                return "\(ModelExpression.literal(minimum))"
            }
            if let maximum = limits.maximum, Value.isLess(maximum, .int(0)) {
                return "\(ModelExpression.literal(maximum))"
            }
            return "0"
        case .string:
            return "'" + String(repeating: "-", count: limits.minimumLength ?? 0) + "'"
        case .uri: return "'about:blank'"
        case .uuid: return "uuid()"
        case .date:
            guard limits.minimum == nil, limits.maximum == nil else { return nil }
            return "'2001-01-01T00:00:00Z'"
        case .data: return "0x00"
        case .enumeration(let name):
            return model.enumeration(named: name)?.cases.first.map { "'\($0.name)'" }
        case .codable: return nil
        }
    }
}
