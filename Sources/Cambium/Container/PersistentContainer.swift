@_spi(Generated) import CambiumMigration
import CambiumSQLiteStore
import Synchronization

/// Opens stores with a model and provides contexts.
///
/// ```swift
/// let container = try PersistentContainer(model: Shop.model, at: .file("shop.sqlite"))
/// try await container.performBackgroundTask { context in
///     _ = Category(in: context, name: "Books")
///     try context.save()
/// }
/// ```
///
/// A store of an earlier version of the model is migrated first, in one transaction. See
/// ``migration`` for the result.
///
/// If you give a name instead of a location, the container uses the default directory, and you can
/// change the store descriptions before the stores are opened:
///
/// ```swift
/// let container = PersistentContainer(name: "Shop", model: Shop.model)
/// container.persistentStoreDescriptions[0].options.busyTimeout = .seconds(30)
/// try await container.loadPersistentStores()
/// ```
///
/// ## Topics
///
/// ### Opening
///
/// - ``init(model:at:options:)``
/// - ``open(model:at:options:progress:)``
/// - ``init(model:migration:at:options:)``
/// - ``open(model:migration:at:options:progress:)``
/// - ``defaultDirectory``
///
/// ### Opening several stores
///
/// - ``init(name:model:directory:)``
/// - ``init(name:model:migration:directory:)``
/// - ``persistentStoreDescriptions``
/// - ``loadPersistentStores(migrationProgress:)``
/// - ``loadPersistentStores(completionHandler:)``
///
/// ### Contexts
///
/// - ``viewContext``
/// - ``performBackgroundTask(isolation:_:)``
/// - ``newBackgroundContext()``
/// - ``newContext(isolation:fileID:line:)``
///
/// ### Transactions
///
/// - ``performTransaction(isolation:_:)``
/// - ``outcome(of:)``
///
/// ### Migrations
///
/// - ``migration``
/// - ``migrationForecast(model:at:)-(_,StoreLocation)``
/// - ``migrationForecast(model:at:)-(_,String)``
/// - ``migrationForecast(model:migration:at:)-(_,_,StoreLocation)``
/// - ``migrationForecast(model:migration:at:)-(_,_,String)``
///
/// ### Importing Core Data stores
///
/// - ``init(importing:at:model:earlierVersions:writtenBy:options:report:progress:)``
/// - ``open(importing:at:model:earlierVersions:writtenBy:options:progress:)``
/// - ``init(adopting:at:model:earlierVersions:writtenBy:options:report:progress:)``
/// - ``open(adopting:at:model:earlierVersions:writtenBy:options:progress:)``
///
/// ### Row-level security
///
/// - ``applying(transactionSettings:)``
/// - ``transactionSettings``
///
/// ### Coordinator, model and name
///
/// - ``coordinator``
/// - ``model``
/// - ``name``
///
/// ### Closing
///
/// - ``close(waitingAtMost:)``
public final class PersistentContainer: Sendable {
    /// The name of the container. The file of the default store has the same name.
    public let name: String
    /// The model that the container was opened with.
    public let model: CompiledModel
    /// The coordinator of the stores. All contexts share it.
    public let coordinator: PersistentStoreCoordinator

    private let descriptions: Mutex<[StoreDescription]>
    /// The container with the same stores, if this one has settings.
    private let base: PersistentContainer?

    /// The context for the main actor, for the user interface. It merges the saves of other
    /// contexts.
    ///
    /// Its pending changes are processed at the end of the event that made them. Fetches and saves
    /// run on the main thread; ``ManagedObjectContext/fetchInBackground(_:isolation:progress:)``
    /// reads on another one.
    @MainActor public var viewContext: ManagedObjectContext {
        if let madeViewContext { return madeViewContext }
        let made = coordinator.newMainContext(mergesAutomatically: true)
        madeViewContext = made
        return made
    }

    @MainActor private var madeViewContext: ManagedObjectContext?

    /// Creates a container without opening its stores. Unless you change
    /// ``persistentStoreDescriptions`` before ``loadPersistentStores(migrationProgress:)``, it has
    /// one SQLite store for all entities, in the file `<name>.sqlite` of the directory.
    ///
    /// - Parameters:
    ///   - name: The name of the store; not a path.
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - directory: The directory of the stores; nil means ``defaultDirectory``. It is created
    ///     when stores are loaded.
    public init(name: String, model: CompiledModel, directory: String? = nil) {
        self.name = name
        self.model = model
        coordinator = PersistentStoreCoordinator(model: model)
        let folder = directory ?? Self.defaultDirectory
        let path = folder.hasSuffix("/") ? folder : folder + "/"
        descriptions = Mutex([StoreDescription(location: .file("\(path)\(name).sqlite"))])
        base = nil
    }

    /// Opens one store for all entities. If there is no store, it is created, with its folder. If
    /// the store is of an earlier version, it is migrated.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - location: The location of the store.
    ///   - options: The options of the store.
    /// - Throws: ``StoreLoadingError`` with the store and the reason; the store is unchanged. Its
    ///   ``StoreLoadingError/code`` is for programs. Its ``StoreLoadingError/underlying`` error is
    ///   one of these:
    ///   - a ``MigrationError`` if the file is not a store, if the program does not include the
    ///     store's version, or if a migration failed;
    ///   - a ``MigrationStepError`` if a step of the program failed;
    ///   - a ``StoreError`` if the file cannot be opened or created (`cannotOpen`), is locked
    ///     (`busy`) or is not a database (`corrupt`);
    ///   - a ``SQLiteError`` if SQLite rejects it.
    public init(
        model: CompiledModel, at location: StoreLocation, options: StoreOptions = StoreOptions()
    ) throws(StoreLoadingError) {
        name = model.model.name
        self.model = model
        coordinator = PersistentStoreCoordinator(model: model)
        let description = StoreDescription(location: location, options: options)
        descriptions = Mutex([description])
        base = nil
        try load(description)
    }

    /// The change that opening made to the first store: it was created, migrated, or already
    /// current. For other stores, see ``PersistentStore/migration``.
    public var migration: MigrationOutcome {
        coordinator.persistentStores.first?.migration ?? .current
    }

    /// The descriptions of the stores to open. Change them before
    /// ``loadPersistentStores(migrationProgress:)``.
    public var persistentStoreDescriptions: [StoreDescription] {
        get { base?.persistentStoreDescriptions ?? descriptions.withLock { $0 } }
        set {
            if let base {
                base.persistentStoreDescriptions = newValue
            } else {
                descriptions.withLock { $0 = newValue }
            }
        }
    }

    /// The directory of stores if a container has no other one: Application Support on Apple's
    /// systems; elsewhere a folder of the program's name in the data directory of the XDG
    /// specification (`~/.local/share`).
    public static var defaultDirectory: String {
        #if canImport(Darwin)
            let folder = URL.applicationSupportDirectory.path(percentEncoded: false)
            return folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        #else
            let environment = ProcessInfo.processInfo.environment
            let program = ProcessInfo.processInfo.processName
            // The specification does not allow a relative path.
            if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
                return "\(data)/\(program)"
            }
            let home = environment["HOME"] ?? FileManager.default.currentDirectoryPath
            return "\(home)/.local/share/\(program)"
        #endif
    }

    /// Closes all stores, and waits until the running fetches and saves have ended. Use it at the
    /// end of a program. Any later use of the container is an error.
    ///
    /// - Parameter limit: The maximum time to wait. Default: 30 seconds.
    /// - Returns: Whether all fetches and saves ended within this time. If not, the remaining work
    ///   continues, and its connection is closed afterwards.
    /// - Throws: ``StoreError`` with `invalidRequest` if it is called in a closure that a store
    ///   calls, such as a statement hook.
    @discardableResult
    public func close(waitingAtMost limit: Duration = .seconds(30)) async throws -> Bool {
        try await StoreThreads().run { [coordinator] in
            try coordinator.close(waitingAtMost: limit)
        }
    }

    // MARK: Row-level security

    /// The settings at the beginning of each transaction of its contexts; none unless the container
    /// was created with ``applying(transactionSettings:)``.
    public var transactionSettings: TransactionSettings { coordinator.transactionSettings }

    /// Returns a container with the same stores, and with settings for its contexts. Each
    /// transaction of these contexts on the server begins with the settings, which end with the
    /// transaction. With row-level security, the policies of the tables can use them to decide
    /// which rows a context may see and write.
    ///
    /// ```swift
    /// let tenant = container.applying(transactionSettings: ["app.tenant": "42"])
    /// let count = try await tenant.performBackgroundTask {
    ///     try $0.count(for: Order.fetchRequest())
    /// }
    /// ```
    ///
    /// The container has a ``viewContext`` of its own. Opening and closing stores affects both
    /// containers. The connections are shared: no setting stays on one. The container costs next to
    /// nothing: a web server can create one for each request.
    ///
    /// Contexts with the same settings share a row cache, and are notified of each other's saves.
    /// Contexts with other settings, or without, are like other programs to each other: they share
    /// nothing, and are not notified of each other's saves. If this container has settings, they
    /// are kept unless the new ones replace them.
    ///
    /// If a store does not support such settings (SQLite, custom stores), its first use throws
    /// ``StoreError`` with `invalidRequest`. The same happens with a name that is not allowed. The
    /// article on PostgreSQL explains the effect of hidden rows on faults, conflicts and
    /// constraints.
    public func applying(transactionSettings: TransactionSettings) -> PersistentContainer {
        PersistentContainer(of: self, transactionSettings)
    }

    private init(of container: PersistentContainer, _ settings: TransactionSettings) {
        let base = container.base ?? container
        self.base = base
        name = base.name
        model = base.model
        coordinator = container.coordinator.applying(transactionSettings: settings)
        descriptions = Mutex([])
    }

    // MARK: Contexts

    /// Runs a closure with a new context on a background thread, and waits for its result.
    ///
    /// Its arguments and results are `Sendable`: object ids and values, not objects.
    ///
    /// The thread belongs to the container and may be blocked: by a long import, by another process
    /// that has locked the store, by the closure's own work. See ``BackgroundContext/perform(_:)``
    /// for the number of concurrent tasks and the cost of a call.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of the caller: the call switches directly to the thread and
    ///     back, without a thread of Swift's in between.
    ///   - body: The closure to run.
    /// - Throws: The error of the closure.
    public func performBackgroundTask<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await newBackgroundContext().performOnce(body)
    }

    /// Runs a closure with a new context, and the save of its changes, in one transaction of the
    /// store.
    ///
    /// All reads of the closure are from one state of the store. When the transaction commits, no
    /// other one has changed the same rows. With ``TransactionIsolation/serializable``, the result
    /// is one that the transactions could also have had one after the other. Use it if a decision
    /// depends on objects that are read and not changed, such as a sum over many. A save alone is
    /// protected by conflicts, and by ``ManagedObjectContext/detectConflicts(for:)``.
    /// <doc:Reliability> compares them.
    ///
    /// ```swift
    /// let id = show.objectID
    /// try await container.performTransaction { context in
    ///     let show = try context.existingObject(with: id, as: Show.self)
    ///     let seats = try context.count(for: Booking.fetchRequest().filter(Booking.show == show))
    ///     guard seats < 100 else { throw ShowIsFull() }
    ///     _ = Booking(in: context, show: show)
    /// }
    /// ```
    ///
    /// The changes are saved when the closure ends; it cannot save the context itself. On a
    /// database server, the closure runs again with a new context if other transactions have
    /// interfered. For this reason, it should change nothing but objects. There are no
    /// notifications of a run that was rolled back. With a store in a file, no other save is
    /// possible until the transaction has ended, and the closure runs once.
    ///
    /// Batch operations in the closure are not part of the transaction, and are rejected.
    ///
    /// - Parameters:
    ///   - isolation: The isolation from other transactions. Default: serializable.
    ///   - body: The closure to run. It runs on a thread of the container, as in
    ///     ``performBackgroundTask(isolation:_:)``.
    /// - Throws: The error of the closure or the save; ``StoreError`` with `busy` if other
    ///   transactions interfered 20 times or for 30 seconds; ``StoreError`` with `invalidRequest`
    ///   if a custom store does not support such transactions.
    public func performTransaction<Result: Sendable>(
        isolation: TransactionIsolation = .serializable,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await coordinator.threads.run { [coordinator] in
            try coordinator.performTransaction(isolation: isolation, body)
        }
    }

    /// Returns the outcome of a save that has thrown ``StoreError`` with `commitOutcomeUnknown`. If
    /// the save was committed, all contexts read their objects again.
    ///
    /// ```swift
    /// do {
    ///     try context.save()
    /// } catch let error as StoreError {
    ///     guard let commit = error.commit else { throw error }
    ///     // Later, when the server can be reached again:
    ///     switch try await container.outcome(of: commit) {
    ///     case .committed:
    ///         // The changes are saved: forget them, and read what is stored.
    ///         context.rollback()
    ///         context.mergePending()
    ///     case .rolledBack: try context.save()
    ///     case .undecided, .forgotten: throw error
    ///     }
    /// }
    /// ```
    ///
    /// If the outcome is `rolledBack`, the save will never be committed, even if the server is
    /// still working on it.
    ///
    /// - Parameter commit: The ``StoreError/commit`` of the error. A store keeps it for a day.
    /// - Throws: ``StoreError`` with `noStore` if the container does not have its store; any error
    ///   of the store, such as `inaccessible` if the server cannot be reached.
    public func outcome(of commit: CommitID) async throws -> CommitOutcome {
        try await coordinator.threads.run { [coordinator] in
            try coordinator.outcome(of: commit)
        }
    }

    /// Creates a context with an actor of its own. It runs on the container's threads, and merges
    /// the saves of other contexts.
    public func newBackgroundContext() -> BackgroundContext {
        BackgroundContext(coordinator: coordinator, mergesAutomatically: true)
    }

    /// Creates a context for the isolation of the caller. It cannot leave this isolation.
    ///
    /// It runs on the threads of that isolation. Unless the isolation is the main actor or an actor
    /// with a custom executor, these are the threads of Swift's tasks. There is only one such
    /// thread for each processor. If the work may block, use ``newBackgroundContext()``.
    ///
    /// It merges the saves of other contexts only when you call
    /// ``ManagedObjectContext/mergePending()``, or if
    /// ``ManagedObjectContext/automaticallyMergesChangesFromParent`` is set, at every fetch and
    /// save. Keep the context for as long as you use its objects: they do not keep it.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of the context.
    ///   - fileID: The file of the call. A program that was compiled with DEBUG warns with it if
    ///     objects are used after the context was released.
    ///   - line: The line of the call.
    public func newContext(
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ManagedObjectContext {
        coordinator.newContext(fileID: fileID, line: line)
    }
}

extension PersistentContainer {
    /// Opens one store for all entities on a thread of its own. A long migration, or a wait for
    /// another process, suspends only the caller.
    ///
    /// ```swift
    /// let container = try await PersistentContainer.open(
    ///     model: Shop.model, at: .file("shop.sqlite")
    /// ) { progress in
    ///     print("\(Int(progress.fraction * 100)) % \(progress.summary)")
    /// }
    /// ```
    ///
    /// If you cancel the task, a migration ends soon, even in the middle of a long statement. The
    /// store is unchanged then.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - location: The location of the store.
    ///   - options: The options of the store.
    ///   - progress: Called before each statement of a migration, and up to ten times in a second
    ///     while a long one runs, on the thread that opens the store.
    /// - Throws: The errors of ``init(model:at:options:)``, and an error if the task is cancelled.
    public static func open(
        model: CompiledModel, at location: StoreLocation, options: StoreOptions = StoreOptions(),
        progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) async throws -> PersistentContainer {
        try await StoreThreads().run {
            var options = options.reporting(to: progress)
            options.isMigrationCancelled = { Task.isCancelled }
            return try PersistentContainer(model: model, at: location, options: options)
        }
    }

    /// Returns a forecast of the migration that opening a store would run: steps, rows, bytes. It
    /// changes nothing.
    ///
    /// ```swift
    /// if let forecast = try PersistentContainer.migrationForecast(
    ///     model: Shop.model, at: "shop.sqlite"), forecast.fits == false
    /// {
    ///     print("Please free \(forecast.bytesNeeded) bytes")
    /// }
    /// ```
    ///
    /// It counts the rows of the tables, on the calling thread: it takes about as long as reading
    /// the file.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - path: The store's file.
    /// - Returns: Nil if there is no store, or if it needs no migration.
    /// - Throws: ``StoreLoadingError`` if the program cannot open the store, or the file cannot be
    ///   read.
    public static func migrationForecast(
        model: CompiledModel, at path: String
    ) throws(StoreLoadingError) -> MigrationForecast? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try SQLiteFile.forecast(of: path, model.migrationRunner)
        } catch {
            throw StoreLoadingError(StoreDescription(location: .file(path)), error)
        }
    }

    /// Returns a forecast of the migration that opening a store would run, in a file or on a
    /// server, as ``migrationForecast(model:at:)-(_,StoreLocation)``.
    ///
    /// On a server, ``MigrationForecast/locks`` names the tables that others cannot read or write
    /// during the migration. Large tables are not counted there: the server's own estimate is used.
    ///
    /// ```swift
    /// let forecast = try PersistentContainer.migrationForecast(
    ///     model: Shop.model, at: .postgres("postgresql://db.example.com/shop"))
    /// for lock in forecast?.locks ?? [] where lock.stopsReaders {
    ///     print("\(lock.table) cannot be read during the migration")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - location: The location of the store.
    /// - Returns: Nil if there is no store, or if the store needs no migration. Always nil for
    ///   stores in memory and custom stores.
    /// - Throws: ``StoreLoadingError`` if the program cannot open the store, or it cannot be read.
    public static func migrationForecast(
        model: CompiledModel, at location: StoreLocation
    ) throws(StoreLoadingError) -> MigrationForecast? {
        if let path = location.path { return try migrationForecast(model: model, at: path) }
        let description = StoreDescription(location: location)
        do {
            return try location.migrations(of: model).flatMap { try $0.store.forecast($0.target) }
        } catch {
            throw StoreLoadingError(description, error)
        }
    }
}

extension StoreOptions {
    /// Returns the options with another receiver of a migration's progress.
    @inline(never)
    func reporting(to progress: (@Sendable (MigrationProgress) -> Void)?) -> StoreOptions {
        guard let progress else { return self }
        var options = self
        let former = migrationProgress
        options.migrationProgress = {
            former?($0)
            progress($0)
        }
        return options
    }
}

extension PersistentContainer {
    /// Opens the stores of ``persistentStoreDescriptions``, on the calling thread.
    ///
    /// If a store cannot be opened, the others still are. A second call opens no store twice: for
    /// each store it reports that its entities are in a store already.
    ///
    /// - Parameter completionHandler: Called once for each description, with the
    ///   ``StoreLoadingError`` if the store could not be opened.
    public func loadPersistentStores(
        completionHandler: (_ description: StoreDescription, _ error: (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            do {
                try load(description)
                completionHandler(description, nil)
            } catch {
                completionHandler(description, error)
            }
        }
    }

    /// Opens the stores of ``persistentStoreDescriptions``, one after the other, on a thread of the
    /// container. If you cancel the task, a migration ends soon, and its store is unchanged.
    ///
    /// If a store cannot be opened, the others still are.
    ///
    /// - Parameter migrationProgress: Called before each statement of a migration, and while a long
    ///   one runs, on the thread that opens the store. To distinguish several stores, set
    ///   ``StoreOptions/migrationProgress`` in the description of each.
    /// - Throws: ``StoreLoadingError``, or ``StoreLoadingErrors`` if there are several.
    public func loadPersistentStores(
        migrationProgress: (@Sendable (_ progress: MigrationProgress) -> Void)? = nil
    ) async throws {
        var errors: [StoreLoadingError] = []
        for original in persistentStoreDescriptions {
            var description = original
            description.options = original.options.reporting(to: migrationProgress)
            do {
                let described = description
                try await coordinator.threads.run { () throws(StoreLoadingError) in
                    var description = described
                    description.options.isMigrationCancelled = { Task.isCancelled }
                    try self.load(description)
                }
            } catch {
                errors.append(error)
            }
        }
        if errors.count > 1 { throw StoreLoadingErrors(errors: errors) }
        if let error = errors.first { throw error }
    }

    /// Opens a store. If the folder of a file does not exist, it is created.
    func load(_ description: StoreDescription) throws(StoreLoadingError) {
        if let path = description.location.path, !description.options.isReadOnly {
            let folder = URL(filePath: path).deletingLastPathComponent()
            do {
                if description.type == .sqlite { try StoreFile.requirePath(path) }
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
            } catch let error as StoreError {
                throw StoreLoadingError(description, error)
            } catch {
                throw StoreLoadingError(
                    description,
                    StoreError(
                        code: .cannotOpen,
                        message: "The folder of the store \(path) cannot be created.",
                        remedy: "Choose another place, or let the program write there.",
                        underlying: error))
            }
        }
        try coordinator.addPersistentStore(with: description)
    }
}

/// Models with migration steps of the program.
extension PersistentContainer {
    /// Opens one store for all entities. If there is no store, it is created, with its folder. If
    /// the store is of an earlier version, it is migrated.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - migration: The program's migration steps: a value of a type that conforms to the
    ///     generated protocol, such as `ShopMigration`.
    ///   - location: The location of the store.
    ///   - options: The options of the store.
    /// - Throws: The errors of ``init(model:at:options:)``.
    public convenience init<Steps>(
        model: SteppedModel<Steps>, migration: Steps, at location: StoreLocation,
        options: StoreOptions = StoreOptions()
    ) throws(StoreLoadingError) {
        try self.init(model: model.performing(migration), at: location, options: options)
    }

    /// Creates a container without opening its stores, as ``init(name:model:directory:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the store; not a path.
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - migration: The program's migration steps.
    ///   - directory: The directory of the stores; nil means ``defaultDirectory``.
    public convenience init<Steps>(
        name: String, model: SteppedModel<Steps>, migration: Steps, directory: String? = nil
    ) {
        self.init(name: name, model: model.performing(migration), directory: directory)
    }

    /// Opens one store on a thread of its own, as ``open(model:at:options:progress:)``.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - migration: The program's migration steps. They run on that thread.
    ///   - location: The location of the store.
    ///   - options: The options of the store.
    ///   - progress: Called with the progress of a migration.
    /// - Throws: The errors of ``init(model:at:options:)``, and an error if the task is cancelled.
    public static func open<Steps>(
        model: SteppedModel<Steps>, migration: Steps, at location: StoreLocation,
        options: StoreOptions = StoreOptions(),
        progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) async throws -> PersistentContainer {
        try await open(
            model: model.performing(migration), at: location, options: options,
            progress: progress)
    }

    /// Returns a forecast of the migration that opening a store would run, as
    /// ``migrationForecast(model:at:)-(_,StoreLocation)``. No step runs.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - migration: The program's migration steps.
    ///   - path: The store's file.
    /// - Throws: As ``migrationForecast(model:at:)-(_,StoreLocation)``.
    public static func migrationForecast<Steps>(
        model: SteppedModel<Steps>, migration: Steps, at path: String
    ) throws(StoreLoadingError) -> MigrationForecast? {
        try migrationForecast(model: model.performing(migration), at: path)
    }

    /// Returns a forecast of the migration that opening a store would run, in a file or on a
    /// server, as ``migrationForecast(model:at:)-(_,StoreLocation)``. No step runs.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - migration: The program's migration steps.
    ///   - location: The file, or the server.
    /// - Throws: As ``migrationForecast(model:at:)-(_,StoreLocation)``.
    public static func migrationForecast<Steps>(
        model: SteppedModel<Steps>, migration: Steps, at location: StoreLocation
    ) throws(StoreLoadingError) -> MigrationForecast? {
        try migrationForecast(model: model.performing(migration), at: location)
    }

    // MARK: Calls without the argument `migration`: errors that name it

    /// Not available: a model with migration steps of the program needs them.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public convenience init<Steps>(
        model: SteppedModel<Steps>, at location: StoreLocation,
        options: StoreOptions = StoreOptions()
    ) throws(StoreLoadingError) {
        try self.init(model: model.withoutSteps, at: location, options: options)
    }

    /// Not available: a model with migration steps of the program needs them.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public convenience init<Steps>(
        name: String, model: SteppedModel<Steps>, directory: String? = nil
    ) {
        self.init(name: name, model: model.withoutSteps, directory: directory)
    }

    /// Not available: a model with migration steps of the program needs them.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public static func open<Steps>(
        model: SteppedModel<Steps>, at location: StoreLocation,
        options: StoreOptions = StoreOptions(),
        progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) async throws -> PersistentContainer {
        try await open(
            model: model.withoutSteps, at: location, options: options, progress: progress)
    }

    /// Not available: a model with migration steps of the program needs them.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public static func migrationForecast<Steps>(
        model: SteppedModel<Steps>, at path: String
    ) throws(StoreLoadingError) -> MigrationForecast? {
        try migrationForecast(model: model.withoutSteps, at: path)
    }

    /// Not available: a model with migration steps of the program needs them.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public static func migrationForecast<Steps>(
        model: SteppedModel<Steps>, at location: StoreLocation
    ) throws(StoreLoadingError) -> MigrationForecast? {
        try migrationForecast(model: model.withoutSteps, at: location)
    }
}
