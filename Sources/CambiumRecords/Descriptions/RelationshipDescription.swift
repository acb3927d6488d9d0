import CambiumModel

/// A relationship in numbers instead of names, for code that handles rows. A class, because setters and deletes look at one for
/// every object: a struct of names would be copied each time.
public final class RelationshipDescription: Sendable {
    @usableFromInline package let relationship: Relationship
    /// The number among the entity's relationships.
    public let ordinal: Int
    @usableFromInline package let place: Place
    /// Whether this side writes the pairs, where it is kept in pairs.
    public let ownsPairs: Bool
    /// The slot of the destination's key, for a to-one that this side keeps.
    public let slot: Int?
    /// The slot of the destination's entity, where that has sub-entities.
    public let entitySlot: Int?
    /// The number of the destination entity.
    public let destination: Int
    /// The number of its root.
    public let destinationRoot: Int
    /// The number of the inverse among the destination's relationships.
    public let inverse: Int?
    /// A number that all descriptions of this relationship (in sub-entities too) share.
    public let identity: Int
    /// Whether it keeps an order.
    public let isOrdered: Bool
    /// Whether the store keeps the order.
    public let keepsOrder: Bool

    /// Where the links of a relationship are kept.
    public enum Place: Sendable {
        /// In the object's own row.
        case ownRow
        /// In the rows at the far end.
        case farRow
        /// In pairs beside the rows.
        case pairs
        /// In memory only.
        case memory
    }

    package init(
        relationship: Relationship, of entity: Entity, in model: Model, ordinal: Int,
        slot: Int?, entitySlot: Int?, destination: Int, destinationRoot: Int, inverse: Int?,
        identity: Int
    ) {
        self.relationship = relationship
        self.ordinal = ordinal
        switch model.storage(of: relationship, of: entity) {
        case .key: (place, ownsPairs) = (.ownRow, false)
        case .inverseKey: (place, ownsPairs) = (.farRow, false)
        case .joinTable(_, let source, _): (place, ownsPairs) = (.pairs, source == "_source")
        case .transient: (place, ownsPairs) = (.memory, false)
        }
        self.slot = slot
        self.entitySlot = entitySlot
        self.destination = destination
        self.destinationRoot = destinationRoot
        self.inverse = inverse
        self.identity = identity
        isOrdered = relationship.isToMany && relationship.isOrdered
        keepsOrder = isOrdered && place != .memory
    }

    /// Whether it may reference many objects.
    @inlinable public var isToMany: Bool { relationship.isToMany }
    /// Whether it is in memory only.
    @inlinable public var isTransient: Bool { relationship.isTransient }
    /// Whether its links are pairs in a table of their own.
    @inlinable public var isJoinTable: Bool { place == .pairs }
    /// Whether its links are asked for, because they are not in the object's own row.
    @inlinable public var isKeptElsewhere: Bool { place == .farRow || place == .pairs }
}

/// The destination of a to-one that an object's own row keeps: what a getter needs of its
/// description, in numbers, without reference counting.
public struct KeyPlace: Sendable {
    /// The slot of the destination's key.
    public let slot: Int
    /// The number of the destination entity.
    public let destination: Int
    /// The number of its root.
    public let root: Int
}
