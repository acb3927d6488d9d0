import CambiumModel

/// The value of any property, as `ManagedObject.changedValues()` and its like answer with.
public enum PropertyValue: Hashable, Sendable {
    /// The value of an attribute.
    case value(Value)
    /// The object that a to-one relationship leads to, or nil.
    case toOne(ObjectID?)
    /// The objects that a to-many relationship leads to, in their order, or sorted by key where
    /// they have none.
    case toMany([ObjectID])
    /// What was changed about a to-many relationship that has not been read: to know all of it
    /// would take a look into the store.
    case unread(added: Set<ObjectID>, removed: Set<ObjectID>)

    /// The value of an attribute; nil for a relationship.
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The object that a to-one relationship leads to; nil for none, and for another property.
    public var objectID: ObjectID? {
        if case .toOne(let id) = self { id } else { nil }
    }
}

extension PropertyValue: CustomStringConvertible {
    /// The value, the object ids, or what was changed about them.
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
