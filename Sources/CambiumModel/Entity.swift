/// A kind of object: a class in Swift, a table (shared with its sub-entities) in the store.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(name:className:parent:isAbstract:renamedFrom:codeGeneration:hasCustomValidation:attributes:compositeAttributes:relationships:uniqueConstraints:indexes:rules:fetchTemplates:fetchedProperties:hashModifier:userInfo:)``
///
/// ### Name and class
///
/// - ``name``
/// - ``className``
/// - ``codeGeneration``
/// - ``hasCustomValidation``
///
/// ### Inheritance
///
/// - ``parent``
/// - ``isAbstract``
///
/// ### Properties
///
/// - ``attributes``
/// - ``compositeAttributes``
/// - ``relationships``
/// - ``fetchedProperties``
///
/// ### Constraints, rules and indexes
///
/// - ``uniqueConstraints``
/// - ``rules``
/// - ``presenceRules(in:)``
/// - ``indexes``
///
/// ### Requests
///
/// - ``fetchTemplates``
///
/// ### Versions and notes
///
/// - ``renamedFrom``
/// - ``hashModifier``
/// - ``userInfo``
public final class Entity: Sendable {
    /// The name.
    public let name: String
    /// The name of the Swift class; usually that of the entity.
    public let className: String
    /// The entity that this one inherits from, or nil for a root.
    public let parent: String?
    /// Whether objects of this entity itself (not of a sub-entity) are impossible.
    public let isAbstract: Bool
    /// The entity's name in the previous version, or nil if it was not renamed.
    public let renamedFrom: String?
    /// The part of the Swift class that the compiler writes.
    public let codeGeneration: CodeGeneration
    /// Whether the user's code must supply `validateObject()`, called before each save.
    public let hasCustomValidation: Bool
    /// The entity's own attributes, without inherited ones, in declaration order. A composite
    /// attribute appears as its parts, next to each other.
    public let attributes: [Attribute]
    /// The entity's own composite attributes, without inherited ones, in declaration order. Nested
    /// ones are included (`address.geo`).
    public let compositeAttributes: [CompositeAttribute]
    /// The entity's own relationships, without inherited ones, in declaration order.
    public let relationships: [Relationship]
    /// Sets of properties. No two objects share their values.
    public let uniqueConstraints: [UniqueConstraint]
    /// Indexes of the table.
    public let indexes: [Index]
    /// Conditions that every saved object meets.
    public let rules: [Rule]
    /// Named requests.
    public let fetchTemplates: [FetchTemplate]
    /// Lists of objects that a condition finds, without inherited ones, in declaration order.
    public let fetchedProperties: [FetchedProperty]
    /// A text that changes the version hash although the storage is the same.
    public let hashModifier: String?
    /// The author's notes for programs.
    public let userInfo: [String: String]

    /// Describes an entity.
    public init(
        name: String, className: String? = nil, parent: String? = nil, isAbstract: Bool = false,
        renamedFrom: String? = nil,
        codeGeneration: CodeGeneration = .fullClass, hasCustomValidation: Bool = false,
        attributes: [Attribute] = [], compositeAttributes: [CompositeAttribute] = [],
        relationships: [Relationship] = [], uniqueConstraints: [UniqueConstraint] = [],
        indexes: [Index] = [], rules: [Rule] = [], fetchTemplates: [FetchTemplate] = [],
        fetchedProperties: [FetchedProperty] = [], hashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.className = className ?? name
        self.parent = parent
        self.isAbstract = isAbstract
        self.renamedFrom = renamedFrom
        self.codeGeneration = codeGeneration
        self.hasCustomValidation = hasCustomValidation
        self.attributes = attributes
        self.compositeAttributes = compositeAttributes
        self.relationships = relationships
        self.uniqueConstraints = uniqueConstraints
        self.indexes = indexes
        self.rules = rules
        self.fetchTemplates = fetchTemplates
        self.fetchedProperties = fetchedProperties
        self.hashModifier = hashModifier
        self.userInfo = userInfo
    }

    /// Copies another entity, except for former names and its declared properties.
    package convenience init(
        _ entity: Entity, renamedFrom: String?, attributes: [Attribute],
        compositeAttributes: [CompositeAttribute], relationships: [Relationship]
    ) {
        self.init(
            name: entity.name, className: entity.className, parent: entity.parent,
            isAbstract: entity.isAbstract, renamedFrom: renamedFrom,
            codeGeneration: entity.codeGeneration,
            hasCustomValidation: entity.hasCustomValidation, attributes: attributes,
            compositeAttributes: compositeAttributes, relationships: relationships,
            uniqueConstraints: entity.uniqueConstraints, indexes: entity.indexes,
            rules: entity.rules, fetchTemplates: entity.fetchTemplates,
            fetchedProperties: entity.fetchedProperties, hashModifier: entity.hashModifier,
            userInfo: entity.userInfo)
    }
}

extension Entity: Hashable {
    /// Whether all parts are equal.
    public static func == (one: Entity, other: Entity) -> Bool {
        one === other || one.name == other.name && one.isWritten(as: other)
    }

    /// Hashes the parts that nearly always differ.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(attributes.count)
    }
}

extension Entity: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

/// The part of an entity's Swift class that the compiler writes.
public enum CodeGeneration: String, Sendable, Hashable, CaseIterable {
    /// The whole class.
    case fullClass = "class"
    /// An open `_Name` that a hand-written `Name` inherits from.
    case base
    /// No class; objects are used through `value(forKey:)`.
    case none
}

/// Properties whose combined values are unique among the objects of the entity. A nil value never
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
public final class Index: Sendable {
    /// The name that the author gave it, if any.
    public let name: String?
    /// The purpose of the index.
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

extension Index: Equatable {
    /// Whether all parts are equal.
    public static func == (one: Index, other: Index) -> Bool {
        one === other || one.isWritten(as: other)
    }
}

/// The purpose of an index.
public enum IndexKind: String, Sendable, Hashable, CaseIterable {
    /// Finding and sorting by its elements from the first on.
    case binary
    /// Ranges in several dimensions. The store keeps a binary one in its place.
    case rtree
}

/// One property, or computed value, that an index is sorted by.
public struct IndexElement: Sendable, Equatable {
    /// The name of an attribute or to-one relationship; empty if the element is an expression.
    public let property: String
    /// The expression that computes the value, or nil if the element is a property.
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
public struct Rule: Sendable, Equatable {
    /// The rule's name in errors, and in the store's CHECK constraint if the rule becomes one.
    public let name: String
    /// The error message for people.
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
