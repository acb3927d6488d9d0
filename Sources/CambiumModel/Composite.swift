/// A type whose values have several parts: a Swift struct, a column for each part.
public struct Composite: Sendable, Hashable {
    /// The name of the Swift type.
    public let name: String
    /// The parts; those of composites within are here by their dotted names.
    public let attributes: [Attribute]
    /// Which names stand for composite values within, in declaration order.
    public let compositeAttributes: [CompositeAttribute]
    /// What the author noted for programs.
    public let userInfo: [String: String]

    /// Describes a composite type.
    public init(
        name: String, attributes: [Attribute] = [],
        compositeAttributes: [CompositeAttribute] = [], userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.attributes = attributes
        self.compositeAttributes = compositeAttributes
        self.userInfo = userInfo
    }
}

/// A name that stands for a composite value. Its parts are attributes whose names start with it and
/// a dot. A value whose parts are all nil is nil.
public struct CompositeAttribute: Sendable, Hashable {
    /// The name; of one within another, with the names on the way to it, joined by dots.
    public let name: String
    /// The name of its type.
    public let composite: String
    /// Whether nil is a value.
    public let isOptional: Bool
    /// Whether the value lives in memory only and is never stored.
    public let isTransient: Bool
    /// The name in the version just before, where it was another one.
    public package(set) var renamedFrom: String?
    /// What the author noted for programs.
    public let userInfo: [String: String]

    /// Describes a composite attribute.
    public init(
        name: String, composite: String, isOptional: Bool = false, isTransient: Bool = false,
        renamedFrom: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.composite = composite
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.renamedFrom = renamedFrom
        self.userInfo = userInfo
    }

    /// Whether it lies within another composite value.
    public var isNested: Bool { name.contains(".") }

    /// Whether an attribute is a part of the value, directly or within a composite within.
    public func contains(_ attribute: Attribute) -> Bool {
        attribute.name.hasPrefix(name + ".")
    }
}

extension Attribute {
    /// Whether it is a part of a composite value.
    public var isPart: Bool { name.contains(".") }
}

extension Model {
    /// The composite attributes of an entity, inherited ones first.
    public func compositeAttributes(of entity: Entity) -> [CompositeAttribute] {
        lineage(of: entity).flatMap(\.compositeAttributes)
    }

    /// A composite attribute of the entity or of an ancestor.
    public func compositeAttribute(_ name: String, of entity: Entity) -> CompositeAttribute? {
        compositeAttributes(of: entity).first { $0.name == name }
    }
}
