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
    /// Creates a row.
    @_spi(Generated) init(storage: RowStorage)
}

/// A row of an entity that a step may insert, change and delete in the new version.
public protocol WritableMigrationRow: MigrationRow {}

extension MigrationRow {
    /// The object that the row was read for; nil before the row was inserted.
    public var rowID: RowID<Self>? { storage.key.map { RowID(key: $0) } }
}

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
    /// ``MigrationContext/row(_:)-26yes`` tells.
    public func `as`<Other: MigrationRow>(_ type: Other.Type) -> RowID<Other>
    where Other.Version == Row.Version {
        RowID<Other>(key: key)
    }
}

extension RowID: CustomStringConvertible {
    /// The entity and the number.
    public var description: String { "\(Row.layout.entity) \(key)" }
}

/// A version of a model, as a step of the program sees it: the namespace of the rows of its
/// entities, such as `Shop.Version1`. Generated for the versions that a step lies between.
public protocol MigrationVersion: Sendable {
    /// The version's name.
    static var versionName: String { get }
}

/// A step of a migration that the program does itself. Made by generated code of what the program
/// supplies.
@_spi(Generated)
public struct CodeStep: Sendable {
    /// The version that the migration starts from.
    let from: String
    /// The step's name.
    let name: String
    let body: @Sendable (StepRun) throws -> Void

    /// A step.
    ///
    /// - Parameter body: Does it, in the migration's transaction.
    public init<Old: MigrationVersion, New: MigrationVersion>(
        _ name: String, from: Old.Type, to: New.Type,
        _ body: @escaping @Sendable (MigrationContext<Old, New>) throws -> Void
    ) {
        self.from = from.versionName
        self.name = name
        self.body = { run in try body(MigrationContext(run)) }
    }

    /// One that knows the store and no types: what stands in for the program in a proof.
    init(_ name: String, from: String, _ body: @escaping @Sendable (StepRun) throws -> Void) {
        self.from = from
        self.name = name
        self.body = body
    }
}
