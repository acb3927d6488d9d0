/// A row of an entity in one version of a model. It is a value, not an object: a copy of the stored
/// row. Changing it writes nothing; use ``MigrationContext/update(_:_:)``.
///
/// Only generated types conform to this protocol.
public protocol MigrationRow: Sendable {
    /// The version that has the entity.
    associatedtype Version: MigrationVersion

    /// The layout of the rows.
    @_spi(Generated) static var layout: RowLayout { get }
    /// The values.
    @_spi(Generated) var storage: RowStorage { get set }
    /// Creates a row.
    @_spi(Generated) init(storage: RowStorage)
}

/// A row of an entity that a step may insert, change and delete in the new version.
public protocol WritableMigrationRow: MigrationRow {}

extension MigrationRow {
    /// The ID of the row's object; nil before the row is inserted.
    public var rowID: RowID<Self>? { storage.key.map { RowID(key: $0) } }
}

/// The ID of an object in one version of a model. An object of the new version may have another
/// number than the object that it replaces: see ``MigrationContext/newID(of:as:)``.
public struct RowID<Row: MigrationRow>: Sendable, Hashable {
    /// The object's number among those of its root entity.
    public let key: Int64

    /// Creates the ID of the object with a number.
    public init(key: Int64) {
        self.key = key
    }

    /// The ID of the same object as an object of another entity of the version: of a superentity,
    /// or of a subentity. ``MigrationContext/row(_:)-26yes`` returns nil if there is no such
    /// object.
    public func `as`<Other: MigrationRow>(_ type: Other.Type) -> RowID<Other>
    where Other.Version == Row.Version {
        RowID<Other>(key: key)
    }
}

extension RowID: CustomStringConvertible {
    /// The entity and the number.
    public var description: String { "\(Row.layout.entity) \(key)" }
}

/// A version of a model in a custom step: the namespace of the rows of its entities, such as
/// `Shop.Version1`. Generated for the versions before and after a step.
public protocol MigrationVersion: Sendable {
    /// The version's name.
    static var versionName: String { get }
}

/// A custom step of a migration. Generated code creates it from the program's function.
@_spi(Generated)
public struct CodeStep: Sendable {
    /// The version that the migration starts from.
    let from: String
    /// The step's name.
    let name: String
    let body: @Sendable (StepRun) throws -> Void

    /// Creates a step.
    ///
    /// - Parameter body: Runs the step, in the migration's transaction.
    public init<Old: MigrationVersion, New: MigrationVersion>(
        _ name: String, from: Old.Type, to: New.Type,
        _ body: @escaping @Sendable (MigrationContext<Old, New>) throws -> Void
    ) {
        self.from = from.versionName
        self.name = name
        self.body = { run in try body(MigrationContext(run)) }
    }

    /// Creates a step without types: the replacement for a step of the program in a proof.
    init(_ name: String, from: String, _ body: @escaping @Sendable (StepRun) throws -> Void) {
        self.from = from
        self.name = name
        self.body = body
    }
}
