import CambiumModel

/// What a transaction did to one object.
public struct HistoryChange: Sendable, Hashable {
    /// What was done. The raw values are those of Core Data.
    public enum Kind: Int, Sendable, Hashable, CaseIterable, Codable {
        /// The object is new.
        case insert
        /// The object has other values or links.
        case update
        /// The object is gone.
        case delete
    }

    /// The object.
    public let objectID: ObjectID
    /// What was done to it.
    public let kind: Kind
    /// The names of the properties that an update changed: attributes (parts of composite values by
    /// their dotted names), derived ones too, and relationships of both sides. Empty for the other
    /// kinds, and where only the object's version was raised.
    public let updatedProperties: Set<String>
    /// The values before, where the history has them: those that an update changed, those that a
    /// deleted object had and that are not nil. To-one relationships are among them.
    public let oldValues: [String: PropertyValue]
    /// The values after, where the history has them: those that an update changed, those that a new
    /// object has and that are not nil.
    public let newValues: [String: PropertyValue]
    /// Of a deleted object, the values of the attributes that the model preserves
    /// (`preserved="true"`, Xcode's "Preserve After Deletion"); nil for the other kinds.
    public let tombstone: [String: Value]?

    package init(
        objectID: ObjectID, kind: Kind, updatedProperties: Set<String>,
        oldValues: [String: PropertyValue], newValues: [String: PropertyValue],
        tombstone: [String: Value]?
    ) {
        self.objectID = objectID
        self.kind = kind
        self.updatedProperties = updatedProperties
        self.oldValues = oldValues
        self.newValues = newValues
        self.tombstone = tombstone
    }
}

extension HistoryChange: CustomStringConvertible {
    /// The kind, the object and the names of the changed properties; no values.
    public var description: String {
        let names = updatedProperties.isEmpty ? "" : " \(updatedProperties.sorted())"
        return "\(kind) \(objectID)\(names)"
    }
}
