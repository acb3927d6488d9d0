import CambiumRecords

/// The identity of an object: what may be kept, compared, sent to another isolation and looked up
/// there, when the object itself may not.
///
/// Two are equal when they name the same row of the same store. The entity is the one that the
/// object was found with; it takes no part in the comparison beyond its root.
public struct ObjectID: Sendable {
    @usableFromInline package let entity: EntityDescription
    @usableFromInline package let store: StoreIdentifier
    /// The row's key in its hierarchy's table. It is final from the moment of insertion.
    public let key: Int64
    /// Whether the object had not been saved yet when it was asked for its identity; a save of a
    /// child context does not count. The identity is final all the same: it equals the one that the
    /// object gives after the save.
    public let isTemporary: Bool

    package init(
        _ description: EntityDescription, key: Int64, store: StoreIdentifier,
        isTemporary: Bool = false
    ) {
        self.entity = description
        self.key = key
        self.store = store
        self.isTemporary = isTemporary
    }

    /// The name of the object's entity.
    public var entityName: String { entity.name }
}

extension ObjectID: Hashable {
    /// Whether both name the same row of the same store.
    @inlinable
    public static func == (one: ObjectID, other: ObjectID) -> Bool {
        one.key == other.key && one.store == other.store
            && one.entity.rootIndex == other.entity.rootIndex
    }

    /// Hashes the key and the root entity.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(entity.rootIndex)
    }
}

extension ObjectID: CustomStringConvertible {
    /// The entity and the key, such as `Product/42`.
    public var description: String { "\(entityName)/\(key)" }
}
