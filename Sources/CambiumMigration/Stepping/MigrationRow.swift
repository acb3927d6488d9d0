/// A row of an entity in one version of a model: a value, no object. It is a copy of what was read;
/// nothing is written by changing it, see ``MigrationContext/update(_:_:)``.
///
/// Generated code conforms to this, no other does.
public protocol MigrationRow: Sendable {
    /// The version that has the entity.
    associatedtype Version: MigrationVersion

    /// Where the rows are.
    @_spi(Generated) static var layout: RowLayout { get }
    /// The values.
    @_spi(Generated) var storage: RowStorage { get set }
    /// Makes a row of values.
    @_spi(Generated) init(storage: RowStorage)
}

/// A row of an entity that a step may insert, change and delete in the new version.
public protocol WritableMigrationRow: MigrationRow {}

extension MigrationRow {
    /// The object that the row was read for; nil before the row was inserted.
    public var rowID: RowID<Self>? { storage.key.map { RowID(key: $0) } }
}
