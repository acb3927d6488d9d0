@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumRecords

/// What people do by hand with a store on a server, before or instead of letting a program open it: ask
/// what it is, what a migration would do, migrate it, or try that on a copy.
package protocol ServerMigrations: Sendable {
    /// What opens the store, and migrates it where it is of an earlier version.
    func opener(_ target: ServerTarget, _ options: StoreOptions) -> any StoreOpening

    /// What the store is to the program. Changes nothing.
    ///
    /// - Returns: Nil where there is no store.
    /// - Throws: `MigrationError` where the program cannot open the store.
    func survey(_ target: ServerTarget) throws -> StoreSurvey?

    /// What a migration would do and cost. Changes nothing; counts the rows of small tables.
    ///
    /// - Returns: Nil where there is no store, or nothing to be done about it.
    /// - Throws: `MigrationError` where the program cannot open the store.
    func forecast(_ target: ServerTarget) throws -> MigrationForecast?

    /// Migrates a copy of the store, of which nothing stays.
    ///
    /// - Returns: Nil where there is nothing to migrate.
    /// - Throws: Where the store cannot be copied, or the program cannot open it. That its migration
    ///   fails is no error.
    func rehearse(_ target: ServerTarget) throws -> ServerRehearsal?

    /// Removes the copies that migrations of the store have left.
    ///
    /// - Returns: What they are called.
    func removeCopies() throws -> [String]

    /// Proves a step with generated rows, in a file and in the database, which have to be equal
    /// afterwards. Nothing of it stays on the server.
    ///
    /// - Parameter migration: The step in files, and on the server.
    /// - Throws: Why the step is not what it should be.
    func prove(
        from old: Model, to new: Model,
        _ migration: (file: Migration, server: Migration)
    ) throws -> MigrationProver.Proof
}

/// The model that a program has, and the ways to it.
package struct ServerTarget: Sendable {
    package let model: ModelDescription
    /// The steps between versions.
    package let migrations: [Migration]
    /// The versions that are known, the model's included, the oldest first: they say what the tables of
    /// a store should be.
    package let versions: [Model]
    /// The steps that the program supplies.
    package let code: [CodeStep]
    /// Asked while a store is migrated, or a copy of it, whether that is to end.
    package var isCancelled: @Sendable () -> Bool = { false }

    package init(
        _ model: ModelDescription, migrations: [Migration], versions: [Model] = [],
        code: [CodeStep] = []
    ) {
        self.model = model
        self.migrations = migrations
        self.versions = versions.isEmpty ? [model.model] : versions
        self.code = code
    }

    /// The names of the versions that come after the model's.
    package var laterVersions: Set<String> {
        Set(versions.drop { $0.version != model.model.version }.dropFirst().map(\.version))
    }
}

/// What the migration of a copy of a store on a server has done.
package struct ServerRehearsal {
    /// The versions on the way.
    package let versions: [String]
    /// The class of the gravest step.
    package let kind: MigrationKind
    /// How many rows each table had, and how many it has.
    package let before: [String: Int]
    package let after: [String: Int]
    /// How many bytes the tables had with their indexes, and how many they have.
    package let sizeBefore: Int
    package let sizeAfter: Int
    /// How long the migration took, without the copying.
    package let seconds: Double
    /// Why it failed; nil where it did not.
    package let failure: (any Error)?

    package init(
        versions: [String], kind: MigrationKind, before: [String: Int], after: [String: Int],
        sizeBefore: Int, sizeAfter: Int, seconds: Double, failure: (any Error)?
    ) {
        self.versions = versions
        self.kind = kind
        self.before = before
        self.after = after
        self.sizeBefore = sizeBefore
        self.sizeAfter = sizeAfter
        self.seconds = seconds
        self.failure = failure
    }
}
