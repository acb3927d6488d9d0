import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Makes a database a store of the program's version of a model: creates it, leaves it, or runs the
/// chain of migrations to it.
///
/// The prover in the build runs the same code as a user's machine. A complete chain is one
/// transaction, so the store is always exactly old or exactly new.
package final class MigrationRunner {
    /// The model of the program.
    package let model: Model
    /// The program's migrations.
    package let migrations: [Migration]
    /// Notified before each statement, and while a long one runs; nil for none.
    package var progress: ((MigrationProgress) -> Void)?
    /// Called around each statement of the migrations, within their transaction. An error ends the
    /// transaction, and the store is unchanged.
    package var watch: ((MigrationMoment) throws -> Void)?
    /// Called before each statement, and while a long one runs; true cancels the migration.
    package var isCancelled: () -> Bool = { Task.isCancelled }
    /// Whether a store of another version is migrated; if not, it is an error.
    package var allowsMigration = true
    /// The path for a copy of the store before any migration; nil makes one beside the store only
    /// if data will be lost.
    package var backupPath: String?
    /// Whether a copy is made if data will be lost.
    package var makesBackup = true
    /// The handling of a store that another program has changed.
    package var driftPolicy = DriftPolicy.refuse
    /// The tables of a store's earlier version, for a caller that has its model; nil if that is not
    /// known. A program has only fingerprints.
    package var earlierSchema: (StoreMetadata) -> Schema? = { _ in nil }
    /// The names of versions after the program's, if the caller has them. A store with one of these
    /// versions, or with a later one by its numbers, is newer, regardless of its tables.
    package var laterVersions: Set<String> = []
    /// The program's versions that have not shipped. The definition is then written into stores.
    /// Nil if the stores do not belong to a program: no definition is written, and no store counts
    /// as one of another draft.
    package var drafts: DraftVersions?
    /// Whether the store is only read. If so, its definition is not written.
    package var isReadOnly = false
    /// The handling of a store that another draft has written.
    package var draftPolicy = DraftPolicy.refuse
    /// Called with messages for a person about a migration that was not proven.
    package var log: (String) -> Void = { _ in }
    /// The program's custom steps.
    package var code: [CodeStep] = []
    /// Whether a store may have tables, indexes, views and triggers of other programs.
    package var trustsExternalObjects = true

    /// Called with the names of tables and indexes that differ after the migrations. If it throws,
    /// the migration fails: in a proof, the migrations themselves must change everything.
    var refuseRest: (([String]) throws -> Void)?

    let schema: Schema
    let target: StoreMetadata
    private let creation: [String]

    /// Makes a runner.
    ///
    /// - Parameter statements: The statements of a fresh store, as the compiler printed them; nil
    ///   lays them out now.
    package convenience init(
        model: Model, statements: [String]? = nil, migrations: [Migration] = []
    ) {
        self.init(
            model: model, schema: Schema(of: model), statements: statements,
            migrations: migrations)
    }

    /// Creates a runner for a model with known tables.
    @inline(never)
    package init(
        model: Model, schema: Schema, statements: [String]? = nil, migrations: [Migration] = []
    ) {
        self.model = model
        self.migrations = migrations
        self.schema = schema
        creation = statements ?? schema.statements
        target = schema.metadata
    }

    /// Migrates the database to the model's version.
    ///
    /// - Parameter storePath: The path of the store. Before data is lost, a copy is made beside it
    ///   (`<path>.backup-<version>`). Nil makes no copy (in memory).
    /// - Throws: ``MigrationError`` or `SQLiteError`; the database is unchanged then.
    package func open(
        _ connection: Connection, storePath: String? = nil
    ) throws -> MigrationOutcome {
        if let outcome = try openAtOnce(connection, storePath: storePath) {
            // One that was killed after its commit may have left files.
            if let storePath { try? sweep(ofStore: storePath).run(connection) }
            return outcome
        }
        let outcome = try withoutForeignKeys(connection) {
            try migrate(connection, storePath: storePath)
        }
        // The store is migrated, even if this fails: the next program that opens it tries again.
        if let storePath { try? sweep(ofStore: storePath).run(connection) }
        return outcome
    }

    /// The sweep that removes the files of a store that no row references after its migration.
    func sweep(ofStore path: String) -> ExternalSweep {
        ExternalSweep(ExternalFiles(ofStore: path), model: model)
    }

    /// Opens a store in the same way if no long work is necessary; nil otherwise.
    package func openAtOnce(
        _ connection: Connection, storePath: String? = nil
    ) throws -> MigrationOutcome? {
        switch try situation(of: connection) {
        case .empty: return try createStore(connection, storePath: storePath)
        case .current:
            // If the definition cannot be written now, it is written the next time.
            try? noteDefinition(in: connection)
            return .current
        case .behind, .changed: return nil
        }
    }

    /// Migrates the store in a file to the model's version. Uses a connection of its own, and
    /// closes it at the end.
    ///
    /// - Parameter settings: The program's settings of its connections.
    /// - Throws: ``MigrationError`` or `SQLiteError`; the store is unchanged then.
    package func open(
        fileAt path: String, settings: ConnectionSettings = ConnectionSettings()
    ) throws -> MigrationOutcome {
        var settings = settings
        settings.pragmas = PragmaSQL.ofMigration + settings.pragmas
        return try open(Connection(path: path, settings: settings), storePath: path)
    }

    /// Makes the tables of a fresh store in an empty database.
    package func createStore(
        _ connection: Connection, storePath: String? = nil
    ) throws -> MigrationOutcome {
        do {
            try connection.transaction {
                // Another process may have been faster.
                if try Self.readMetadata(connection) == nil {
                    for statement in creation {
                        try connection.execute(statement)
                    }
                }
                try note(nil, after: nil, keeping: nil, in: connection)
            }
        } catch let error as SQLiteError where error.primaryCode == 8 {
            // A read-only empty database is not a store, and no store can be created in it.
            throw MigrationError.notAStore
        }
        guard let metadata = try Self.readMetadata(connection),
            metadata == target
        else { return try open(connection, storePath: storePath) }
        return .created
    }

    // MARK: The necessary work

    /// The state of a database, and the necessary work.
    indirect enum Situation {
        /// There is nothing in it.
        case empty
        /// There is nothing to do.
        case current
        /// The chain ends at the program's version. The differences are the ones that the program
        /// can detect.
        case behind(StoreMetadata, MigrationChain, [StoreDifference])
        /// The version is the program's, and these differences are to be repaired.
        case changed(StoreMetadata, [StoreDifference])
    }

    func situation(of connection: Connection) throws -> Situation {
        // The metadata and the tables must be read in one transaction: another process may be
        // migrating the store.
        guard connection.isInTransaction else {
            return try connection.transaction(.deferred) { try situation(of: connection) }
        }
        // It is not known yet how much there is to read. A repair reads the rows in any case.
        if driftPolicy == .repair { return try boundlessSituation(of: connection) }
        return try connection.withBudget { try boundlessSituation(of: connection) }
    }

    private func boundlessSituation(of connection: Connection) throws -> Situation {
        guard let metadata = try Self.readMetadata(connection) else { return .empty }
        let foundChain = try chain(from: metadata, in: connection)
        try requireOwnTables(in: connection, metadata, foundChain)
        guard let chain = foundChain else {
            guard driftPolicy != .report else { return .current }
            let changed = try changes(in: connection, metadata, nil)
            if changed.isEmpty || !allowsMigration { return .current }
            try requireRoom(nil, from: metadata, changed, in: connection)
            return .changed(metadata, changed)
        }
        guard allowsMigration else {
            // Only checks, defaults or indexes differ: the rows can be read and written.
            if chain.migrations.isEmpty, trustsExternalObjects { return .current }
            throw MigrationError.migrationIsOff(store: metadata.version, program: model.version)
        }
        let changed = try changes(in: connection, metadata, chain)
        _ = try addedColumns(changed, on: connection, chain)
        try requireRoom(chain, from: metadata, changed, in: connection)
        return .behind(metadata, chain, changed)
    }

    /// Checks that the model's tables are ordinary tables, and, if other objects are not trusted,
    /// that there are none. Before this check nothing is read from the tables.
    ///
    /// - Throws: ``MigrationError/storeDiffers(_:)``, ``MigrationError/objectsAreNotTrusted(_:)``;
    ///   `SQLiteError`.
    func requireOwnTables(
        in connection: Connection, _ store: StoreMetadata, _ chain: MigrationChain?
    ) throws {
        let tables = try OrdinaryTables(in: connection)
        let names = expectedObjects(of: store, chain).names(among: tables.objects, chain, schema)
        try tables.require(names)
        if !trustsExternalObjects {
            try requireTrust(in: tables.objects, own: names, triggers: nil)
        }
    }

    /// - Throws: ``MigrationError/externalObjectsInTheWay(_:)`` if an object prevents the
    ///   migration.
    private func requireRoom(
        _ chain: MigrationChain?, from store: StoreMetadata, _ changed: [StoreDifference],
        in connection: Connection
    ) throws {
        let objects = try externalObjects(inWayOf: chain, from: store, changed, in: connection)
        guard objects.isEmpty else { throw MigrationError.externalObjectsInTheWay(objects) }
    }

    /// Returns the changes of another program to the model's own tables.
    ///
    /// - Throws: ``MigrationError`` if the policy refuses them.
    private func changes(
        in connection: Connection, _ metadata: StoreMetadata, _ chain: MigrationChain?
    ) throws -> [StoreDifference] {
        let expected = expectedObjects(of: metadata, chain)
        let found = try expected.differences(in: connection).filter { $0.kind != .external }
        let changed = try weighed(found, in: connection, expected)
        let isRefused =
            switch driftPolicy {
            case .refuse: !changed.isEmpty
            case .repair: changed.obstacles != nil && allowsMigration
            // A deleted table or column cannot be migrated.
            case .report: chain != nil && changed.contains(where: \.isMissingSomeTable)
            }
        guard !isRefused else { throw MigrationError.storeDiffers(changed) }
        return changed
    }

    /// The metadata of the store, or nil if the database is empty.
    package static func readMetadata(_ connection: Connection) throws -> StoreMetadata? {
        guard try connection.hasMetadata() else {
            if try connection.rows(Catalogue.namesQuery).isEmpty { return nil }
            throw MigrationError.notAStore
        }
        guard let metadata = StoreMetadata(rows: try connection.rows(StoreMetadata.query))
        else { throw MigrationError.notAStore }
        return metadata
    }

    /// The migrations to the program's version; nil if the store has it already.
    ///
    /// - Throws: ``MigrationError`` if there is none; `SQLiteError`.
    func chain(from store: StoreMetadata, in connection: Connection) throws -> MigrationChain? {
        if store == target { return nil }
        return try .path(
            from: store, to: target, among: migrations, laterVersions: laterVersions,
            or: { try draftChain(from: store, in: connection) })
    }

    /// SQLite switches foreign keys only outside of a transaction.
    private func withoutForeignKeys<Result>(
        _ connection: Connection, _ body: () throws -> Result
    ) throws -> Result {
        try connection.execute(MigrationSQL.foreignKeysOff)
        defer {
            connection.forgetStatements()
            // Only a statement that is still running could prevent it, and there is none.
            try? connection.execute(MigrationSQL.foreignKeysOn)
        }
        return try body()
    }
}
