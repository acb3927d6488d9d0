/// Names an object in one version of a model. An object of the new version need not have the number
/// of the object that it was: ``MigrationContext/newID(of:as:)`` tells.
public struct RowID<Row: MigrationRow>: Sendable, Hashable {
    /// The object's number among those of its root entity.
    public let key: Int64

    /// Names the object with a number.
    public init(key: Int64) {
        self.key = key
    }

    /// The same object as one of another entity of the version: of the entity that this one
    /// inherits from, or of one that inherits from it. Whether there is such an object,
    /// ``MigrationContext/row(_:)`` tells.
    public func `as`<Other: MigrationRow>(_ type: Other.Type) -> RowID<Other>
    where Other.Version == Row.Version {
        RowID<Other>(key: key)
    }
}

extension RowID: CustomStringConvertible {
    /// The entity and the number.
    public var description: String { "\(Row.layout.entity) \(key)" }
}
