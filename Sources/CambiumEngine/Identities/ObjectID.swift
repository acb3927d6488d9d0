import CambiumModel
import CambiumRecords

/// The identity of an object. Unlike the object, it can be kept, compared, sent to another
/// isolation and looked up there.
///
/// Two are equal if they name the same row of the same store. The entity is the one with which the
/// object was found; only its root is compared.
public struct ObjectID: Sendable, Hashable, CustomStringConvertible {
    @usableFromInline package let entity: EntityDescription
    @usableFromInline package let store: StoreIdentifier
    /// The row's key in its hierarchy's table. It is final from the moment of insertion.
    public let key: Int64
    /// Whether the object was unsaved when its identity was requested; a save of a child context
    /// does not count. The identity is still final: it equals the one after the save.
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

    /// The entity and the key, such as `Product/42`.
    public var description: String { "\(entityName)/\(key)" }
}

/// The value of any property, as `ManagedObject.changedValues()` and its like answer with.
public enum PropertyValue: Hashable, Sendable, CustomStringConvertible {
    /// The value of an attribute.
    case value(Value)
    /// The object that a to-one relationship references, or nil.
    case toOne(ObjectID?)
    /// The objects that a to-many relationship references, in their order, or sorted by key if they
    /// have none.
    case toMany([ObjectID])
    /// The changes of a to-many relationship that has not been read. Only the store has all of its
    /// objects.
    case unread(added: Set<ObjectID>, removed: Set<ObjectID>)

    /// The value of an attribute; nil for a relationship.
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The object that a to-one relationship references; nil for none, and for another property.
    public var objectID: ObjectID? {
        if case .toOne(let id) = self { id } else { nil }
    }

    /// The value, the object ids, or their changes.
    public var description: String {
        switch self {
        case .value(let value): "\(value)"
        case .toOne(let id): id.map { "\($0)" } ?? "nil"
        case .toMany(let ids): "\(ids)"
        case .unread(let added, let removed):
            "not read; added: \(Self.list(added)); removed: \(Self.list(removed))"
        }
    }

    private static func list(_ ids: Set<ObjectID>) -> String {
        ids.isEmpty ? "none" : ids.map(\.description).sorted().joined(separator: ", ")
    }
}
