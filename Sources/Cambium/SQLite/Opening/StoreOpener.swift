import CambiumAdoption
@_spi(Generated) import CambiumMigration
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Opens the store that a description describes.
struct StoreOpener {
    let description: StoreDescription
    let compiled: CompiledModel
    /// The numbers of the root entities that it is to hold.
    let roots: Set<Int>
    /// Whether a store is migrated where the options do not say.
    let migratesByDefault: Bool

    var model: ModelDescription { compiled.modelDescription }
    var options: StoreOptions { description.options }

    func open() throws -> (store: any StoreEngine, migration: MigrationOutcome) {
        switch description.type.kind {
        case .sqlite: try openFile()
        case .memory: try openSQLite(at: nil)
        case .atomic(let make):
            try openCustom { setup in
                let backend = try AtomicBackend(make(setup), model.model)
                return (backend, backend.identifier)
            }
        case .incremental(let make):
            try openCustom { setup in
                let backend = try IncrementalBackend(make(setup), model.model)
                return (backend, backend.identifier)
            }
        }
    }

    /// Opens a SQLite store; what is wrong with its file is said in words.
    private func openFile() throws -> (store: any StoreEngine, migration: MigrationOutcome) {
        let path = description.location.path
        if let path { try StoreLocation.requireFile(path) }
        warnAboutDrafts()
        do {
            do {
                return try openSQLite(at: path)
            } catch MigrationError.otherDraft(let draft) {
                guard let path, try setAside(draft, at: path) else {
                    throw MigrationError.otherDraft(draft)
                }
                return try openSQLite(at: path)
            }
        } catch let error as SQLiteError {
            if let path,
                let reason = StoreError(opening: path, isReadOnly: options.isReadOnly, error)
            {
                throw reason
            }
            throw error
        }
    }

    private func openCustom(
        _ make: (StoreSetup) throws -> (any NodeBackend, UUID)
    ) throws -> (store: any StoreEngine, migration: MigrationOutcome) {
        let setup = StoreSetup(
            model: model.model,
            entityNames: model.entities.filter { roots.contains($0.rootIndex) }.map(\.name),
            location: description.location, description: description)
        let (backend, identifier) = try make(setup)
        let store = try CustomEngine(
            backend, identifier: identifier, model: model, roots: roots,
            isReadOnly: options.isReadOnly)
        return (store, .current)
    }

    /// - Parameters:
    ///   - path: The path of the file; nil in memory.
    ///   - fill: Writes what the new store is to have.
    func openSQLite(
        at path: String?, filledBy fill: @Sendable (Connection) throws -> Void = { _ in }
    ) throws -> (store: SQLiteEngine, migration: MigrationOutcome) {
        let settings = try ConnectionSettings(options)
        let (connection, migration) = try migrated(path, settings, filledBy: fill)
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
            connection, path: path, identifier: identifier, compiled, options: options,
            settings: settings, history: history)
        try store.sweepExternalFiles()
        if let path, !options.isReadOnly { NewStore.removeLeftovers(of: path) }
        return (store, migration)
    }
}

extension StoreOpener {
    /// Opens the connection that writes, to a store of the program's version.
    private func migrated(
        _ path: String?, _ settings: ConnectionSettings,
        filledBy fill: @Sendable (Connection) throws -> Void
    ) throws -> (Connection, MigrationOutcome) {
        let runner = runner
        guard let path, !options.isReadOnly else {
            let connection = try writer(path, settings)
            try fill(connection)
            return (connection, try runner.open(connection))
        }
        do {
            let connection = try writer(path, settings)
            try fill(connection)
            if let outcome = try runner.openAtOnce(connection) { return (connection, outcome) }
        }
        // A migration has a connection of its own, so that nothing of what it sets stays; the one
        // above is closed by now.
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
            try connection.beginWriteAheadLog()
            // It has its own idea of some of them.
            for pragma in settings.pragmas { try connection.execute(pragma) }
        }
        return connection
    }

    var runner: MigrationRunner {
        var runner = compiled.migrationRunner
        runner.allowsMigration = options.migratesAutomatically ?? migratesByDefault
        runner.driftPolicy =
            options.isReadOnly && options.driftPolicy == .repair ? .report : options.driftPolicy
        if options.trust == .schemaOnly {
            runner.trustsExternalObjects = false
            if runner.driftPolicy == .report { runner.driftPolicy = .refuse }
        }
        runner.draftPolicy = options.isReadOnly ? .refuse : options.draftPolicy
        runner.isReadOnly = options.isReadOnly
        runner.log = StandardError.note
        runner.progress = options.migrationProgress
        if options.endsMigrationOnCancellation { runner.isCancelled = { Task.isCancelled } }
        return runner
    }
}

extension ConnectionSettings {
    /// What a store's options ask of its connections.
    init(_ options: StoreOptions) throws {
        self.init()
        let (seconds, attoseconds) = options.busyTimeout.components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
        busyTimeoutMilliseconds = Int32(min(max(0, milliseconds), Double(Int32.max)))
        pragmas = try options.pragmas.sorted { $0.key < $1.key }.map { name, value in
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
