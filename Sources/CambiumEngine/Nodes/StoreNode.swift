import CambiumModel

/// A row as a store of the program's own keeps it: the values of an object by the names of its
/// properties.
public struct StoreNode: Sendable, Hashable {
    /// The object's entity, which is never abstract.
    public let entityName: String
    /// The object's key, unique among the objects of its hierarchy and never used again.
    public let key: Int64
    /// How many times the row was saved. A save of an object that was read with another version is
    /// a conflict.
    public var version: Int64
    /// The values of attributes; those without a value are left out. The parts of a composite value
    /// are named `address.street`.
    public var values: [String: Value]
    /// Where to-one relationships lead that this side keeps. Of a one-to-many that is the one; of a
    /// one-to-one the side that the model's file form gives the key.
    public var destinations: [String: StoreReference]
    /// The members of to-many relationships: of a many-to-many for the side that keeps the pairs,
    /// and of every ordered relationship for the order, in which members that left may remain.
    public var members: [String: [StoreReference]]

    /// Describes a row.
    public init(
        entityName: String, key: Int64, version: Int64, values: [String: Value] = [:],
        destinations: [String: StoreReference] = [:], members: [String: [StoreReference]] = [:]
    ) {
        self.entityName = entityName
        self.key = key
        self.version = version
        self.values = values
        self.destinations = destinations
        self.members = members
    }
}

/// The far end of a link between rows.
public struct StoreReference: Sendable, Hashable, Codable {
    /// The entity of the object there.
    public let entityName: String
    /// Its key.
    public let key: Int64

    /// Names a row.
    public init(entityName: String, key: Int64) {
        self.entityName = entityName
        self.key = key
    }
}
