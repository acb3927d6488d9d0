/// A link from objects of one entity to objects of another (or the same).
public struct Relationship: Sendable, Hashable {
    /// The name of the Swift property.
    public let name: String
    /// The entity whose objects it leads to.
    public let destination: String
    /// The relationship of the destination that leads back, kept in step with this one.
    public package(set) var inverse: String?
    /// Whether it leads to any number of objects.
    public let isToMany: Bool
    /// Whether a to-one may be nil. For a to-many, see ``minimumCount``.
    public let isOptional: Bool
    /// The least number of objects of a to-many; nil means none.
    public let minimumCount: Int?
    /// The greatest number of objects of a to-many; nil means no limit.
    public let maximumCount: Int?
    /// What happens to the objects at the other end when this end's object is deleted.
    public let deleteRule: DeleteRule
    /// The name in the version just before, where it was another one.
    public package(set) var renamedFrom: String?
    /// Whether the objects of a to-many have an order that is kept.
    public let isOrdered: Bool
    /// Whether the links live in memory only and are never stored.
    public let isTransient: Bool
    /// A text that makes the version hash another one although the storage is the same.
    public let hashModifier: String?
    /// What the author noted for programs.
    public let userInfo: [String: String]

    /// Describes a relationship.
    public init(
        name: String, destination: String, inverse: String? = nil, isToMany: Bool = false,
        isOptional: Bool = true, minimumCount: Int? = nil, maximumCount: Int? = nil,
        deleteRule: DeleteRule = .nullify, renamedFrom: String? = nil, isOrdered: Bool = false,
        isTransient: Bool = false, hashModifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.isToMany = isToMany
        self.isOptional = isOptional
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
        self.deleteRule = deleteRule
        self.renamedFrom = renamedFrom
        self.isOrdered = isOrdered
        self.isTransient = isTransient
        self.hashModifier = hashModifier
        self.userInfo = userInfo
    }
}

/// What a delete does to the objects at the other end of a relationship.
public enum DeleteRule: String, Sendable, Hashable, CaseIterable {
    /// They lose the link.
    case nullify
    /// They are deleted too.
    case cascade
    /// The delete is refused at save while there are any.
    case deny
}
