@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumRecords

/// The manual operations on a store on a server: inspect it, forecast a migration, run it, or try
/// it on a copy.
package protocol ServerMigrations: Sendable {
    /// Returns an opener of the store. It migrates the store if it is of an earlier version.
    func opener(_ target: ServerTarget, _ options: StoreOptions) -> any StoreOpening

    /// Returns information about the store. Changes nothing.
    ///
    /// - Returns: Nil if there is no store.
    /// - Throws: `MigrationError` if the program cannot open the store.
    func survey(_ target: ServerTarget) throws -> StoreSurvey?

    /// Returns a forecast of a migration. Changes nothing; counts the rows of small tables.
    ///
    /// - Returns: Nil if there is no store, or if it needs no migration.
    /// - Throws: `MigrationError` if the program cannot open the store.
    func forecast(_ target: ServerTarget) throws -> MigrationForecast?

    /// Migrates a copy of the store, and deletes the copy.
    ///
    /// - Returns: Nil if there is nothing to migrate.
    /// - Throws: An error if the store cannot be copied, or the program cannot open it. A failed
    ///   migration is not an error.
    func rehearse(_ target: ServerTarget) throws -> ServerRehearsal?

    /// Removes the copies that migrations of the store have left.
    ///
    /// - Returns: The names of the copies.
    func removeCopies() throws -> [String]

    /// Proves a step with generated rows, in a file and in the database. The results have to be
    /// equal. Everything is removed from the server afterwards.
    ///
    /// - Parameter migration: The step in files, and on the server.
    /// - Throws: The reason why the step is wrong.
    func prove(
        from old: Model, to new: Model,
        _ migration: (file: Migration, server: Migration)
    ) throws -> MigrationProver.Proof
}

/// The model of a program, and the migrations to it.
package struct ServerTarget: Sendable {
    package let model: ModelDescription
    /// The migrations between versions.
    package let migrations: [Migration]
    /// The known versions, including the model's, the oldest first: they define the tables of a
    /// store.
    package let versions: [Model]
    /// The program's custom steps.
    package let code: [CodeStep]
    /// Called during the migration of a store or of its copy. Returns whether it was cancelled.
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

    /// The names of the versions after the model's version.
    package var laterVersions: Set<String> {
        Set(versions.drop { $0.version != model.model.version }.dropFirst().map(\.version))
    }
}

/// The result of migrating a copy of a store on a server.
package struct ServerRehearsal {
    /// The versions of the migration.
    package let versions: [String]
    /// The class of the step with the greatest effect.
    package let kind: MigrationKind
    /// The numbers of rows of each table before and after.
    package let before: [String: Int]
    package let after: [String: Int]
    /// The sizes of the tables with their indexes in bytes, before and after.
    package let sizeBefore: Int
    package let sizeAfter: Int
    /// The duration of the migration, without the copying.
    package let seconds: Double
    /// The error if it failed; otherwise nil.
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
