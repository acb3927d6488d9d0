import CambiumModel

/// The name of a constraint in a store, from which a failure is led back to the model.
///
/// | text | what failed |
/// |---|---|
/// | `Product.price.min` | a limit of an attribute |
/// | `Product.rule.saleBelowPrice` | a rule |
/// | `Product.unique.sku+tenant` | a unique constraint |
package enum ConstraintName: Sendable, Hashable {
    /// What an attribute's or relationship's value is checked for.
    package enum Check: String, Sendable, Hashable, CaseIterable {
        /// Not less than the minimum.
        case minimum = "min"
        /// Not greater than the maximum.
        case maximum = "max"
        /// Not shorter than the least length.
        case minimumLength = "minLength"
        /// Not longer than the greatest length.
        case maximumLength = "maxLength"
        /// Matches the pattern.
        case pattern
        /// Within the range of its type.
        case range
        /// Not nil.
        case required
    }

    /// A check of one property.
    case property(entity: String, property: String, Check)
    /// A rule of an entity.
    case rule(entity: String, name: String)
    /// A unique constraint of an entity.
    case unique(entity: String, properties: [String])

    /// The name in SQL.
    package var text: String {
        switch self {
        case .property(let entity, let property, let check):
            Self.words.contains(property)
                ? "\(entity).property.\(property).\(check.rawValue)"
                : "\(entity).\(property).\(check.rawValue)"
        case .rule(let entity, let name):
            "\(entity).rule.\(name)"
        case .unique(let entity, let properties):
            "\(entity).unique.\(properties.joined(separator: "+"))"
        }
    }

    /// Reads a name, or nil where it is none of ours.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 3 else { return nil }
        switch (parts[1], parts.count) {
        case ("rule", 3):
            self = .rule(entity: parts[0], name: parts[2])
        case ("unique", 3):
            self = .unique(
                entity: parts[0], properties: parts[2].split(separator: "+").map(String.init))
        case ("property", 4):
            guard let check = Check(rawValue: parts[3]) else { return nil }
            self = .property(entity: parts[0], property: parts[2], check)
        case (let property, 3):
            guard let check = Check(rawValue: parts[2]) else { return nil }
            self = .property(entity: parts[0], property: property, check)
        default:
            return nil
        }
    }

    /// Words at the second place of a name; a property that is called so gets a longer name.
    private static let words: Set = ["rule", "unique", "property"]
}
