extension ConstraintName {
    /// What is wrong with a row that does not meet it, as part of a sentence.
    package var violation: String {
        switch self {
        case .property(let entity, let property, let check):
            switch check {
            case .minimum: "\(entity).\(property) is below its minimum"
            case .maximum: "\(entity).\(property) is above its maximum"
            case .minimumLength: "\(entity).\(property) is shorter than it may be"
            case .maximumLength: "\(entity).\(property) is longer than it may be"
            case .pattern: "\(entity).\(property) does not match its pattern"
            case .range: "\(entity).\(property) is beyond the range of its type"
            case .required: "\(entity).\(property) has no value, and is required"
            case .presence: "\(entity).\(property) lacks a part that is required"
            }
        case .rule(let entity, let name):
            "the rule \(name) of \(entity) is not met"
        case .unique(let entity, let properties):
            "two objects of \(entity) have the same \(properties.joined(separator: ", "))"
        }
    }

    /// The property that it is about, where it is one.
    package var property: String? {
        if case .property(_, let name, _) = self { name } else { nil }
    }

    /// The entity that asks it.
    package var entity: String {
        switch self {
        case .property(let entity, _, _), .rule(let entity, _), .unique(let entity, _): entity
        }
    }
}
