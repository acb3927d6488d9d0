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
    /// The properties it is sorted by, in order.
    public let elements: [IndexElement]
    /// If present, only rows that meet the condition are in the index.
    public let condition: ModelExpression?

    /// Describes an index.
    public init(elements: [IndexElement], condition: ModelExpression? = nil) {
        self.elements = elements
        self.condition = condition
    }
}

/// One property of an index.
public struct IndexElement: Sendable, Hashable {
    /// The name of an attribute or to-one relationship.
    public let property: String
    /// Whether greater values come first.
    public let isDescending: Bool

    /// Describes an element.
    public init(property: String, isDescending: Bool = false) {
        self.property = property
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

/// A named request with parameters.
public struct FetchTemplate: Sendable, Hashable {
    /// The name; the generated function has it too.
    public let name: String
    /// What the caller supplies, in order.
    public let parameters: [FetchParameter]
    /// Which objects it finds; nil means all.
    public let condition: ModelExpression?
    /// The order of what it finds.
    public let sort: [IndexElement]

    /// Describes a template.
    public init(
        name: String, parameters: [FetchParameter] = [], condition: ModelExpression? = nil,
        sort: [IndexElement] = []
    ) {
        self.name = name
        self.parameters = parameters
        self.condition = condition
        self.sort = sort
    }
}

/// A parameter of a named request.
public struct FetchParameter: Sendable, Hashable {
    /// The name, without the dollar sign.
    public let name: String
    /// The type of its argument.
    public let type: AttributeType

    /// Describes a parameter.
    public init(name: String, type: AttributeType) {
        self.name = name
        self.type = type
    }
}
