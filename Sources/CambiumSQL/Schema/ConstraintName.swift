import CambiumModel

/// The name of a constraint in a store, from which a failure is resolved to the model.
///
/// | text | what failed |
/// |---|---|
/// | `Product.price.min` | a limit of an attribute |
/// | `Product.address.city.max` | a limit of a part of a composite value |
/// | `Product.address.presence` | a composite value without a part that it requires |
/// | `Product.rule.saleBelowPrice` | a rule |
/// | `Product.unique.sku+tenant` | a unique constraint |
package enum ConstraintName: Sendable, Equatable {
    /// What an attribute's or relationship's value is checked for.
    package enum Check: String, Sendable, CaseIterable {
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
        /// A composite value that is nil or has all the parts that it requires.
        case presence
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
            Self.words.contains(Self.firstWord(of: property))
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
        switch parts[1] {
        case "rule" where parts.count == 3:
            self = .rule(entity: parts[0], name: parts[2])
        case "unique":
            let properties = parts[2...].joined(separator: ".")
            self = .unique(
                entity: parts[0], properties: properties.split(separator: "+").map(String.init))
        case let word:
            let names = parts[(word == "property" ? 2 : 1)...].dropLast()
            guard !names.isEmpty, let check = parts.last.flatMap(Check.init(rawValue:)) else {
                return nil
            }
            self = .property(entity: parts[0], property: names.joined(separator: "."), check)
        }
    }

    private static func firstWord(of property: String) -> String {
        String(property.prefix { $0 != "." })
    }

    /// Words at the second place of a name; a property that is called so gets a longer name.
    private static let words: Set = ["rule", "unique", "property"]

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

extension Model {
    /// The constraint that SQLite's message names, such as
    /// `CHECK constraint failed: Product.price.min` or
    /// `UNIQUE constraint failed: Product.sku, Product.tenant`.
    ///
    /// - Parameter entity: The entity of the row that failed, where it is known: two entities of
    ///   one table may have columns in common.
    /// - Returns: nil where the message names none of this model's.
    package func constraint(
        failedWith message: String, entity: Entity? = nil
    ) -> ConstraintName? {
        let parts = message.split(separator: ": ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "CHECK constraint failed":
            return ConstraintName(parts[1])
        case "UNIQUE constraint failed":
            return unique(of: columns(parts[1]), entity: entity)
        case "NOT NULL constraint failed":
            return columns(parts[1]).first.flatMap { table, column in
                property(ofColumn: column, inTable: table).map { owner, property in
                    .property(entity: owner.name, property: property, .required)
                }
            }
        default:
            return nil
        }
    }

    private func columns(_ text: String) -> [(table: String, column: String)] {
        var rest = Substring(text)
        var columns: [(table: String, column: String)] = []
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "," }
            rest = rest.dropFirst(name.count).drop { $0 == "," || $0 == " " }
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            if parts.count == 2 { columns.append((parts[0], parts[1])) }
        }
        return columns
    }

    private func unique(
        of columns: [(table: String, column: String)], entity: Entity?
    ) -> ConstraintName? {
        guard let table = columns.first?.table, let root = self.entity(named: table) else {
            return nil
        }
        let candidates = entity.map { lineage(of: $0) } ?? family(of: root)
        for candidate in candidates {
            for constraint in candidate.uniqueConstraints {
                let names = constraint.properties.map { property in
                    column(of: property, in: declarer(of: property, in: candidate) ?? candidate)
                }
                if names == columns.map(\.column) {
                    return .unique(entity: candidate.name, properties: constraint.properties)
                }
            }
        }
        return nil
    }

    private func property(
        ofColumn name: String, inTable table: String
    ) -> (Entity, String)? {
        guard let root = entity(named: table) else { return nil }
        for entity in family(of: root) {
            let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
            if let property = names.first(where: { column(of: $0, in: entity) == name }) {
                return (entity, property)
            }
        }
        return nil
    }
}
