import CambiumEngine
import CambiumMigration
@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Opens an SQLite store, in a file or in memory.
package final class SQLiteOpener: StoreOpening, Sendable {
    /// The path of the file; nil in memory.
    let path: String?
    let options: StoreOptions
    let model: ModelDescription
    private let makeRunner: @Sendable () -> MigrationRunner
    private let statements: [String]
    private let migratesByDefault: Bool
    /// The path of the store that the new one is copied from.
    let source: String?
    /// Called before the store is opened, if its path can be that of a file.
    private let willOpen: @Sendable () -> Void
    /// Called with the path of a store that was moved aside.
    let didMoveAside: @Sendable (String) -> Void

    /// - Parameters:
    ///   - runner: Creates the runner that migrates stores to the model, independent of the
    ///     options.
    ///   - statements: The statements that create an empty store.
    ///   - migratesByDefault: Whether a store is migrated if the options do not specify it.
    ///   - source: The path of the store that the new one is copied from. The new one gets its file
    ///     permissions.
    ///   - willOpen: Called before the store is opened, if its path can be that of a file.
    ///   - didMoveAside: Called with the path of a store that was moved aside.
    package init(
        path: String?, _ options: StoreOptions, _ model: ModelDescription,
        _ runner: @escaping @Sendable () -> MigrationRunner, statements: [String],
        migratesByDefault: Bool, source: String? = nil,
        willOpen: @escaping @Sendable () -> Void,
        didMoveAside: @escaping @Sendable (String) -> Void
    ) {
        self.path = path
        self.options = options
        self.model = model
        self.statements = statements
        self.source = source
        self.willOpen = willOpen
        self.didMoveAside = didMoveAside
        makeRunner = runner
        self.migratesByDefault = migratesByDefault
    }

    /// The runner that migrates older stores to the program's version, according to the options.
    var runner: MigrationRunner {
        let runner = makeRunner()
        runner.allowsMigration = options.migratesAutomatically ?? migratesByDefault
        runner.driftPolicy =
            options.isReadOnly && options.driftPolicy == .repair ? .report : options.driftPolicy
        if options.trust == .schemaOnly {
            runner.trustsExternalObjects = false
            if runner.driftPolicy == .report { runner.driftPolicy = .refuse }
        }
        runner.makesBackup = options.migrationBackup != .none
        runner.draftPolicy = options.isReadOnly ? .refuse : options.draftPolicy
        runner.isReadOnly = options.isReadOnly
        runner.log = StandardError.note
        runner.progress = options.migrationProgress
        if let isCancelled = options.isMigrationCancelled { runner.isCancelled = isCancelled }
        return runner
    }

    /// Opens the store. Errors describe the problem with its file.
    package func open() throws -> (store: any StoreEngine, migration: MigrationOutcome) {
        if let path { try StoreFile.requirePath(path) }
        willOpen()
        guard let path else { return try open { _, _ in } }
        do {
            do {
                return try open { _, _ in }
            } catch MigrationError.otherDraft(let draft) {
                guard try setAside(draft, at: path) else { throw MigrationError.otherDraft(draft) }
                return try open { _, _ in }
            }
        } catch let error as SQLiteError {
            throw StoreError(opening: path, isReadOnly: options.isReadOnly, error) ?? error
        }
    }

    /// - Parameter fill: Writes the content of the new store, with the runner that creates its
    ///   tables.
    func open(
        filledBy fill: @Sendable (Connection, MigrationRunner) throws -> Void
    ) throws -> (store: SQLiteEngine, migration: MigrationOutcome) {
        let settings = try ConnectionSettings(options)
        let (connection, migration) = try migrated(settings, filledBy: fill)
        if connection.isUnchanging, options.followsRemoteChanges {
            throw StoreError.cannotFollow(path ?? "")
        }
        let history = try StoreHistory(options.historyRetention)
        if !options.isReadOnly {
            let setup = HistorySetup(connection: connection, model: model.model)
            try setup.apply(options.history)
            if options.trust == .schemaOnly { try setup.requireTrust(runner) }
            try history.prepare(connection)
        }
        if options.vacuums, !options.isReadOnly { try connection.execute(PragmaSQL.vacuum) }
        if options.analyzes, !options.isReadOnly { try connection.execute(PragmaSQL.analyze) }
        let identifier = try StoreMetadataAccess(connection)
            .identifier(path: path, isReadOnly: options.isReadOnly)
        let store = try SQLiteEngine(
            connection, path: path, identifier: identifier, model: model, statements: statements,
            options: options,
            settings: settings, history: history)
        try store.sweepExternalFiles()
        if let path, !options.isReadOnly { NewStore.removeLeftovers(of: path) }
        return (store, migration)
    }

    /// Opens the writing connection to a store of the program's version.
    private func migrated(
        _ settings: ConnectionSettings,
        filledBy fill: @Sendable (Connection, MigrationRunner) throws -> Void
    ) throws -> (Connection, MigrationOutcome) {
        let runner = runner
        guard let path, !options.isReadOnly else {
            let connection = try writer(path, settings)
            try fill(connection, runner)
            return (connection, try runner.open(connection))
        }
        do {
            let connection = try writer(path, settings)
            try fill(connection, runner)
            if let outcome = try runner.openAtOnce(connection) { return (connection, outcome) }
        }
        // A migration uses a separate connection, so that none of its settings remain. The
        // connection above is closed by now.
        let outcome = try runner.open(fileAt: path, settings: settings)
        return (try writer(path, settings), outcome)
    }

    private func writer(
        _ path: String?, _ settings: ConnectionSettings
    ) throws -> Connection {
        let connection = try Connection(
            path: path ?? ":memory:", mode: options.isReadOnly ? .readOnly : .readWriteCreate,
            settings: settings)
        if path != nil, !options.isReadOnly {
            // The database of another program stays in its journal mode.
            _ = try MigrationRunner.readMetadata(connection)
            try connection.beginWriteAheadLog()
            // `beginWriteAheadLog()` sets some of them.
            for pragma in settings.pragmas { try connection.execute(pragma) }
        }
        return connection
    }

    // MARK: Stores of another draft

    /// Moves the file of a store of another draft aside, if the options allow that.
    ///
    /// - Returns: Whether the store can be opened now.
    /// - Throws: ``StoreError`` with `busy` if the store is open elsewhere; any error of moving the
    ///   file.
    func setAside(_ draft: OtherDraft, at path: String) throws -> Bool {
        guard runner.draftPolicy == .recreate, draft.frozenVersion == nil else { return false }
        do {
            let moved = try reportingFiles {
                try DraftStoreMover(path, of: draft, runner).move(
                    settings: ConnectionSettings(options))
            }
            // Another process has moved it meanwhile.
            guard let moved else { return true }
            didMoveAside(path)
            StandardError.note(
                "The store '\(StoreFiles.name(of: path))' was written with another draft of version "
                    + "\(draft.version) of \(draft.model), and is at '\(moved)' now. A new one was "
                    + "created in its place")
            return true
        } catch let error as SQLiteError {
            guard [5, 6].contains(error.primaryCode) else { throw error }
            throw StoreError(
                code: .busy,
                message:
                    "The store '\(StoreFiles.name(of: path))' was written with another draft of "
                    + "version \(draft.version) of \(draft.model), and cannot be moved aside while "
                    + "another process or container has it open.",
                remedy: "Close it there, and open it here again.",
                underlying: error)
        }
    }
}

extension ConnectionSettings {
    /// Creates the settings of a store's connections from its options.
    init(_ options: StoreOptions) throws {
        self.init()
        let (seconds, attoseconds) = options.busyTimeout.components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
        busyTimeoutMilliseconds = Int32(min(max(0, milliseconds), Double(Int32.max)))
        pragmas = try options.pragmas.keys.sorted().map { name in
            let value = options.pragmas[name] ?? ""
            guard let statement = PragmaSQL.set(name, to: value) else {
                throw StoreError(
                    code: .invalidRequest,
                    message: "The pragma \(name) cannot be set to \(value): it is not a name with "
                        + "a number or word, or the store relies on another value.",
                    remedy: "Remove it from StoreOptions.pragmas.")
            }
            return statement
        }
        observer = options.statementHook?.observer
        fileSystem = options.fileSystem
        if let isMounted = options.isMountedReadOnly { isMountedReadOnly = isMounted }
    }
}

/// Operations on the file of an SQLite store that is not open.
package enum SQLiteFile {
    /// Replaces the rows and files of one store by those of another one.
    package static func copy(_ source: String, over destination: String) throws {
        try StoreFile.requirePath(source)
        try StoreFile.requirePath(destination)
        let original = try StoreError.naming(source, in: .opening) {
            let original = try Connection.reading(path: source)
            // A file that is not a store must not overwrite one.
            _ = try StoreMetadataAccess(original).metadata(path: source)
            return original
        }
        let (files, new) = (ExternalFiles(ofStore: source), ExternalFiles(ofStore: destination))
        let former = new.names
        try reportingFiles {
            let permissions = StorePermissions(of: source)
            if FileManager.default.fileExists(atPath: destination) {
                try permissions.restrict(StoreFiles.resolved(destination))
            } else {
                try permissions.makeFile(StoreFiles.resolved(destination))
            }
            try files.link(into: new)
        }
        try StoreError.naming(destination, in: .writing) {
            let copy = try Connection(path: destination)
            try original.copy(to: copy, named: destination)
            try HistorySetup.renew(copy)
        }
        let kept = files.names
        if !former.isSubset(of: kept) { new.removeAll(except: kept) }
    }

    /// Deletes all data of a store, including files of large values.
    package static func empty(_ path: String, timeout: Duration) throws {
        var options = StoreOptions()
        options.busyTimeout = timeout
        try StoreError.naming(path, in: .writing) {
            try Connection(path: path, mode: .readWrite, settings: ConnectionSettings(options))
                .emptyDatabase()
        }
        ExternalFiles(ofStore: path).removeAll()
    }

    /// Returns the forecast of the migration when a store is opened.
    package static func forecast(of path: String, _ runner: MigrationRunner) throws
        -> MigrationForecast?
    {
        try runner.forecast(Connection.reading(path: path), at: path)
    }

    /// Runs a closure that accesses a store's metadata, in a transaction.
    package static func withMetadata<Result>(
        of path: String, isReadOnly: Bool, _ body: (StoreMetadataAccess) throws -> Result
    ) throws -> Result {
        try StoreFile.requirePath(path)
        let connection =
            try isReadOnly
            ? Connection.reading(path: path) : Connection(path: path, mode: .readWrite)
        return try connection.transaction(isReadOnly ? .deferred : .immediate) {
            try body(StoreMetadataAccess(connection))
        }
    }
}

extension StatementHook {
    /// The observer that notifies the hook of a connection's statements.
    var observer: StatementObserver {
        StatementObserver(includesValues: includesValues) { [receive] record in
            let source = PlanSource(record.connection)
            let sql = record.sql
            receive(
                WatchedStatement(
                    sql: sql, sqlWithValues: record.expandedSQL, duration: record.duration,
                    rowCount: record.rowCount
                ) {
                    (try? source.connection?.plan(of: sql)) ?? []
                })
            source.connection = nil
        }
    }
}

/// A reference to the connection, valid while the hook runs.
private final class PlanSource {
    var connection: Connection?

    init(_ connection: Connection) {
        self.connection = connection
    }
}
