/// Properties whose values, taken together, no two objects of the entity share. A nil never
/// collides.
public struct UniqueConstraint: Sendable, Hashable {
    /// The names of attributes or to-one relationships, in order.
    public let properties: [String]

    /// Describes a constraint.
    public init(properties: [String]) {
        self.properties = properties
    }
}

/// An index of an entity's table.
public struct Index: Sendable, Hashable {
    /// The name that the author gave it, if any.
    public let name: String?
    /// What it is good for.
    public let kind: IndexKind
    /// The properties it is sorted by, in order.
    public let elements: [IndexElement]
    /// If present, only rows that meet the condition are in the index.
    public let condition: ModelExpression?

    /// Describes an index.
    public init(
        name: String? = nil, kind: IndexKind = .binary, elements: [IndexElement],
        condition: ModelExpression? = nil
    ) {
        self.name = name
        self.kind = kind
        self.elements = elements
        self.condition = condition
    }
}

/// What an index is good for.
public enum IndexKind: String, Sendable, Hashable, CaseIterable {
    /// Finding and sorting by its elements from the first on.
    case binary
    /// Ranges in several dimensions. The store keeps a binary one in its place.
    case rtree
}

/// One property, or computed value, that an index is sorted by.
public struct IndexElement: Sendable, Hashable {
    /// The name of an attribute or to-one relationship; empty where there is an expression.
    public let property: String
    /// What the value is computed from, where it is not a property.
    public let expression: ModelExpression?
    /// Whether greater values come first.
    public let isDescending: Bool

    /// Describes an element.
    public init(property: String, isDescending: Bool = false, expression: ModelExpression? = nil) {
        self.property = property
        self.expression = expression
        self.isDescending = isDescending
    }
}

/// A condition that every saved object of the entity meets.
public struct Rule: Sendable, Hashable {
    /// The name by which errors and, where it becomes one, the store's CHECK call it.
    public let name: String
    /// What the error says to a person.
    public let message: String?
    /// The condition, checked against the entity. It is violated when it is false.
    public let condition: ModelExpression

    /// Describes a rule.
    public init(name: String, message: String? = nil, condition: ModelExpression) {
        self.name = name
        self.message = message
        self.condition = condition
    }
}
