/// What makes an optional composite value whole: all its parts are nil, or none of those is that
/// the composite type requires.
public struct PresenceRule: Sendable, Hashable {
    /// The name of the composite attribute.
    public let composite: String
    /// The names of all its parts.
    public let parts: [String]
    /// The names of the parts that are there whenever the value is; at least one.
    public let required: [String]
}

extension Entity {
    /// The rules of the entity's own optional composite attributes that are stored. One without
    /// required parts needs none: whatever its parts are, they are a value.
    public func presenceRules(in model: Model) -> [PresenceRule] {
        optionalValues(in: model).filter { !$0.required.isEmpty }
    }

    /// The same of all optional composite attributes that are stored, and thus with no required parts
    /// of those that require none.
    package func optionalValues(in model: Model) -> [PresenceRule] {
        compositeAttributes.compactMap { attribute in
            guard attribute.isOptional, !attribute.isTransient,
                let composite = model.composite(named: attribute.composite)
            else { return nil }
            // A part within an optional composite within may be missing while the value is there.
            let required = composite.attributes.filter { !$0.isOptional }
                .map { "\(attribute.name).\($0.name)" }
            let parts = attributes.filter { attribute.contains($0) && !$0.isTransient }
                .map(\.name)
            let names = Set(parts)
            return PresenceRule(
                composite: attribute.name, parts: parts,
                required: required.filter(names.contains))
        }
    }
}
