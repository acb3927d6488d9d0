@_spi(Generated) import CambiumMigration
import CambiumSQLiteStore
import Synchronization

/// Opens stores with a model and hands out contexts.
///
/// ```swift
/// let container = try PersistentContainer(model: Shop.model, at: .file("shop.sqlite"))
/// try await container.performBackgroundTask { context in
///     _ = Category(in: context, name: "Books")
///     try context.save()
/// }
/// ```
///
/// A store of an earlier version of the model is migrated first, in one transaction; see
/// ``migration`` for what was done.
///
/// With a name instead of a place the container uses the default directory, and what is to be
/// opened can be changed before it is:
///
/// ```swift
/// let container = PersistentContainer(name: "Shop", model: Shop.model)
/// container.persistentStoreDescriptions[0].options.busyTimeout = .seconds(30)
/// try await container.loadPersistentStores()
/// ```
///
/// ## Topics
/// - Opening: ``init(model:at:options:)``, ``open(model:at:options:progress:)``,
///   ``migrationForecast(model:at:)``, ``init(name:model:directory:)``,
///   ``persistentStoreDescriptions``, ``loadPersistentStores(migrationProgress:)``,
///   ``loadPersistentStores(completionHandler:)``, ``migration``
/// - Contexts: ``viewContext``, ``performBackgroundTask(isolation:_:)``, ``newBackgroundContext()``,
///   ``newContext(isolation:fileID:line:)``
/// - Row-level security: ``applying(transactionSettings:)``, ``transactionSettings``
public final class PersistentContainer: Sendable {
    /// The name, after which the file of the default store is named.
    public let name: String
    /// The model that the container was opened with.
    public let model: CompiledModel
    /// The coordinator of the stores, which all contexts share.
    public let coordinator: PersistentStoreCoordinator

    private let descriptions: Mutex<[StoreDescription]>
    /// The one whose stores it has, where it has settings.
    private let base: PersistentContainer?

    /// The context for the main actor: for what is shown. It merges what other contexts save.
    ///
    /// Its pending changes are processed at the end of the event in which they were made. Fetches
    /// and saves run on the main thread; ``ManagedObjectContext/fetchInBackground(_:isolation:progress:)``
    /// reads on another one.
    @MainActor public var viewContext: ManagedObjectContext {
        if let madeViewContext { return madeViewContext }
        let made = coordinator.newMainContext(mergesAutomatically: true)
        madeViewContext = made
        return made
    }

    @MainActor private var madeViewContext: ManagedObjectContext?

    /// A container whose stores are not open yet. Unless ``persistentStoreDescriptions`` is changed
    /// before ``loadPersistentStores(migrationProgress:)``, that is one SQLite store for all
    /// entities, in the file `<name>.sqlite` of the directory.
    ///
    /// - Parameters:
    ///   - name: The name of the store; no more than a name.
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - directory: Where stores are; nil means ``defaultDirectory``. It is made when stores are
    ///     loaded.
    public init(name: String, model: CompiledModel, directory: String? = nil) {
        self.name = name
        self.model = model
        coordinator = PersistentStoreCoordinator(model: model)
        let folder = directory ?? Self.defaultDirectory
        let path = folder.hasSuffix("/") ? folder : folder + "/"
        descriptions = Mutex([StoreDescription(location: .file("\(path)\(name).sqlite"))])
        base = nil
    }

    /// Opens one store for all entities: makes it, with its folder, where there is none, migrates it
    /// where it is of an earlier version.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - location: The file, or memory.
    ///   - options: How to open it.
    /// - Throws: ``StoreLoadingError``, which names the store and says why; the store is as it was
    ///   then. Its ``StoreLoadingError/code`` is for programs. Its ``StoreLoadingError/underlying``
    ///   error is a ``MigrationError`` where the file holds something else than a store of a version
    ///   that the program knows, or a migration failed; a ``MigrationStepError`` where a step of the
    ///   program did; a ``StoreError`` where the file cannot be opened or made (`cannotOpen`), is
    ///   locked (`busy`) or is no database (`corrupt`); a ``SQLiteError`` where SQLite refuses it.
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

    /// What opening the first store did to it: made it, migrated it, or found it current. Each
    /// store has its own, see ``PersistentStore/migration``.
    public var migration: MigrationOutcome {
        coordinator.persistentStores.first?.migration ?? .current
    }

    /// What stores are to be opened. Change it before ``loadPersistentStores(migrationProgress:)``.
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

    /// Where stores are unless a container is given a directory: Application Support on Apple's
    /// systems; elsewhere a folder of the program's name in the data directory of the XDG
    /// specification (`~/.local/share`).
    public static var defaultDirectory: String {
        #if canImport(Darwin)
            let folder = URL.applicationSupportDirectory.path(percentEncoded: false)
            return folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        #else
            let environment = ProcessInfo.processInfo.environment
            let program = ProcessInfo.processInfo.processName
            // A relative path is none, the specification says.
            if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
                return "\(data)/\(program)"
            }
            let home = environment["HOME"] ?? FileManager.default.currentDirectoryPath
            return "\(home)/.local/share/\(program)"
        #endif
    }

    /// Closes all stores, and waits until the fetches and saves that are running have ended: for the end of
    /// a program. What is asked of the container afterwards is an error.
    ///
    /// - Parameter limit: How long it waits. Default: 30 seconds.
    /// - Returns: Whether everything had ended by then. What had not goes on, and its connection is
    ///   closed after it.
    /// - Throws: ``StoreError`` with `invalidRequest` where it is called in a closure that a store
    ///   calls, such as a statement hook.
    @discardableResult
    public func close(waitingAtMost limit: Duration = .seconds(30)) async throws -> Bool {
        try await StoreThreads().run { [coordinator] in
            try coordinator.close(waitingAtMost: limit)
        }
    }

    // MARK: Row-level security

    /// What each transaction of its contexts begins with; none unless it was made by
    /// ``applying(transactionSettings:)``.
    public var transactionSettings: TransactionSettings { coordinator.transactionSettings }

    /// A container with the same stores, whose contexts have settings: each of their transactions on
    /// the server begins with them, and they end with it. Policies of the tables (row-level security)
    /// can decide by them which rows a context sees, and which it may write.
    ///
    /// ```swift
    /// let tenant = container.applying(transactionSettings: ["app.tenant": "42"])
    /// let count = try await tenant.performBackgroundTask { try $0.count(for: Order.fetchRequest()) }
    /// ```
    ///
    /// It has a ``viewContext`` of its own. Opening and closing stores is for both. The connections
    /// are shared: no setting stays on one. Making a container costs next to nothing, so that there
    /// can be one for each request of a web server.
    ///
    /// Contexts with the same settings share a row cache, and hear of what the others save. Contexts
    /// with other settings, or without, are to each other like other programs: nothing is shared, and
    /// none hears of what another one saves. The settings of this container stay, where it has some
    /// and the new ones do not replace them.
    ///
    /// A store that has no such settings (SQLite, a store of a program's own) throws ``StoreError``
    /// with `invalidRequest` when it is first used, and so does a name that is not allowed. The
    /// article on PostgreSQL says what rows that are hidden mean for faults, conflicts and
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
    /// What goes in and out is `Sendable`: object ids and values, not objects.
    ///
    /// The thread belongs to the container and may be blocked: by a long import, by another process
    /// that has locked the store, by the closure's own work. ``BackgroundContext/perform(_:)`` says
    /// how many tasks run at once, and what a call costs.
    ///
    /// - Parameters:
    ///   - isolation: Who calls: the call goes to the thread and comes back without a detour over one
    ///     of Swift's.
    ///   - body: What is to be done.
    /// - Throws: What the closure throws.
    public func performBackgroundTask<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await newBackgroundContext().performOnce(body)
    }

    /// Runs a closure with a new context, and the save of what it changes, in one transaction of the
    /// store.
    ///
    /// All that the closure reads is one state of the store. Nobody else has changed what it changes
    /// when it commits, and with ``TransactionIsolation/serializable`` the result is one that the
    /// transactions could have had one after the other. Use it where a decision rests on objects that
    /// are read and not changed, such as a sum over many. A save alone is protected by conflicts, and
    /// by ``ManagedObjectContext/detectConflicts(for:)``. <doc:Guarantees> compares them.
    ///
    /// ```swift
    /// try await container.performTransaction { context in
    ///     let seats = try context.count(for: Booking.fetchRequest().filter(Booking.show == show))
    ///     guard seats < 100 else { throw ShowIsFull() }
    ///     _ = Booking(in: context, show: show)
    /// }
    /// ```
    ///
    /// The changes are saved when the closure ends; it cannot save the context itself. On a database
    /// server the closure is run again, with a new context, where other transactions stood in its way:
    /// so it should change nothing but objects. Nobody is notified of a run that was taken back. A store in a
    /// file lets nobody else save until the transaction has ended, and runs it once.
    ///
    /// Batch operations in the closure are no part of the transaction, and are refused.
    ///
    /// - Parameters:
    ///   - isolation: What the transaction is protected from. Default: serializable.
    ///   - body: What is to be done. It runs on a thread of the container, as in
    ///     ``performBackgroundTask(isolation:_:)``.
    /// - Throws: What the closure or the save throws; ``StoreError`` with `busy` where others stood in
    ///   the way 20 times or for 30 seconds; ``StoreError`` with `invalidRequest` where a store has no
    ///   such transactions, because it is a program's own.
    public func performTransaction<Result: Sendable>(
        isolation: TransactionIsolation = .serializable,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await coordinator.threads.run { [coordinator] in
            try coordinator.performTransaction(isolation: isolation, body)
        }
    }

    /// What has become of a save that has thrown ``StoreError`` with `commitOutcomeUnknown`. If it was
    /// committed, all contexts read their objects again.
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
    /// A save that is found to be rolled back will never be committed, whatever its server still does.
    ///
    /// - Parameter commit: The ``StoreError/commit`` of the error. A store keeps it for a day.
    /// - Throws: ``StoreError`` with `noStore` where the container does not have its store; what the
    ///   store throws, such as `inaccessible` where the server cannot be reached.
    public func outcome(of commit: CommitID) async throws -> CommitOutcome {
        try await coordinator.threads.run { [coordinator] in
            try coordinator.outcome(of: commit)
        }
    }

    /// A new context with an actor of its own, which runs on the container's threads. It merges what
    /// other contexts save.
    public func newBackgroundContext() -> BackgroundContext {
        BackgroundContext(coordinator: coordinator, mergesAutomatically: true)
    }

    /// A new context for the isolation that calls it, which it cannot leave.
    ///
    /// It runs on the threads of that isolation: unless it is the main actor or an actor with an
    /// executor of its own, on those of Swift's tasks, which are as few as the processors. Where
    /// the work may wait, take ``newBackgroundContext()``.
    ///
    /// It merges what other contexts save only when asked (``ManagedObjectContext/mergePending()``,
    /// or ``ManagedObjectContext/automaticallyMergesChangesFromParent`` for every fetch and save).
    /// Keep it for as long as you use its objects: they do not keep it.
    ///
    /// - Parameters:
    ///   - isolation: Whose context it is.
    ///   - fileID: The file of the call. A program that was compiled with DEBUG warns with it where
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
    /// Opens one store for all entities on a thread of its own, so that a migration, which may take
    /// a while, or a wait for another process keeps nobody waiting but the caller.
    ///
    /// ```swift
    /// let container = try await PersistentContainer.open(
    ///     model: Shop.model, at: .file("shop.sqlite")
    /// ) { progress in
    ///     print("\(Int(progress.fraction * 100)) % \(progress.summary)")
    /// }
    /// ```
    ///
    /// Cancelling the task ends a migration soon, also in the middle of a long statement; the store
    /// is as it was then.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - location: The file, or memory.
    ///   - options: How to open it.
    ///   - progress: Called before each statement of a migration, and up to ten times in a second
    ///     while a long one runs, on the thread that opens the store.
    /// - Throws: As ``init(model:at:options:)``, also where the task is cancelled.
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

    /// What opening a store would do to it, and what that would cost: steps, rows, bytes. Nothing is
    /// changed.
    ///
    /// ```swift
    /// if let forecast = try PersistentContainer.migrationForecast(
    ///     model: Shop.model, at: "shop.sqlite"), forecast.fits == false
    /// {
    ///     print("Please free \(forecast.bytesNeeded) bytes")
    /// }
    /// ```
    ///
    /// Goes through the tables to count their rows, on the calling thread: it takes about as long as
    /// reading the file.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - path: The store's file.
    /// - Returns: Nil where there is no store, or where it would be opened as it is.
    /// - Throws: ``StoreLoadingError`` where the program cannot open the store, or the file cannot be
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

    /// What opening a store would do to it, in a file or on a server, as
    /// ``migrationForecast(model:at:)``.
    ///
    /// On a server, ``MigrationForecast/locks`` says which tables others cannot read or write during
    /// the migration. Large tables are not counted there: the server's own estimate is used.
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
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - location: The file, or the server.
    /// - Returns: Nil where there is no store, or where it would be opened as it is; also in memory,
    ///   and for stores of a program's own.
    /// - Throws: ``StoreLoadingError`` where the program cannot open the store, or it cannot be read.
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
    /// The same, with somebody else who is notified of the progress of a migration.
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
    /// A store that cannot be opened does not stop the others. Calling it twice opens nothing
    /// twice: the second time each store is reported as one whose entities are in a store already.
    ///
    /// - Parameter completionHandler: Called once for each description, with the
    ///   ``StoreLoadingError`` where the store could not be opened.
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
    /// container. Cancelling the task ends a migration soon, which leaves its store as it was.
    ///
    /// A store that cannot be opened does not stop the others.
    ///
    /// - Parameter migrationProgress: Called before each statement of a migration, and while a long
    ///   one runs, on the thread that opens the store. Which store it is,
    ///   ``StoreOptions/migrationProgress`` of its description knows.
    /// - Throws: ``StoreLoadingError``, or ``StoreLoadingErrors`` where there are several.
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

    /// Opens a store. A file's folder is made where there is none.
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
                        message: "The folder of the store \(path) cannot be made.",
                        remedy: "Choose another place, or let the program write there.",
                        underlying: error))
            }
        }
        try coordinator.addPersistentStore(with: description)
    }
}

/// Models in whose migrations the program does steps of its own.
extension PersistentContainer {
    /// Opens one store for all entities: makes it, with its folder, where there is none, migrates it
    /// where it is of an earlier version.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - migration: What the program does in migrations: a value of a type that conforms to the
    ///     generated protocol, such as `ShopMigration`.
    ///   - location: The file, or memory.
    ///   - options: How to open it.
    /// - Throws: As ``init(model:at:options:)``.
    public convenience init<Steps>(
        model: SteppedModel<Steps>, migration: Steps, at location: StoreLocation,
        options: StoreOptions = StoreOptions()
    ) throws(StoreLoadingError) {
        try self.init(model: model.performing(migration), at: location, options: options)
    }

    /// A container whose stores are not open yet, as ``init(name:model:directory:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the store; no more than a name.
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - migration: What the program does in migrations.
    ///   - directory: Where stores are; nil means ``defaultDirectory``.
    public convenience init<Steps>(
        name: String, model: SteppedModel<Steps>, migration: Steps, directory: String? = nil
    ) {
        self.init(name: name, model: model.performing(migration), directory: directory)
    }

    /// Opens one store on a thread of its own, as ``open(model:at:options:progress:)``.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - migration: What the program does in migrations. It runs on that thread.
    ///   - location: The file, or memory.
    ///   - options: How to open it.
    ///   - progress: Told how far a migration is.
    /// - Throws: As ``init(model:at:options:)``, also where the task is cancelled.
    public static func open<Steps>(
        model: SteppedModel<Steps>, migration: Steps, at location: StoreLocation,
        options: StoreOptions = StoreOptions(),
        progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) async throws -> PersistentContainer {
        try await open(
            model: model.performing(migration), at: location, options: options,
            progress: progress)
    }

    /// What opening a store would do to it, as ``migrationForecast(model:at:)``; no step runs.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - migration: What the program does in migrations.
    ///   - path: The store's file.
    /// - Throws: As ``migrationForecast(model:at:)``.
    public static func migrationForecast<Steps>(
        model: SteppedModel<Steps>, migration: Steps, at path: String
    ) throws(StoreLoadingError) -> MigrationForecast? {
        try migrationForecast(model: model.performing(migration), at: path)
    }

    /// What opening a store would do to it, in a file or on a server, as
    /// ``migrationForecast(model:at:)``; no step runs.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - migration: What the program does in migrations.
    ///   - location: The file, or the server.
    /// - Throws: As ``migrationForecast(model:at:)``.
    public static func migrationForecast<Steps>(
        model: SteppedModel<Steps>, migration: Steps, at location: StoreLocation
    ) throws(StoreLoadingError) -> MigrationForecast? {
        try migrationForecast(model: model.performing(migration), at: location)
    }

    // MARK: What people write who forget the argument: errors that name it

    /// Not available: a model in whose migrations the program does steps needs them.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public convenience init<Steps>(
        model: SteppedModel<Steps>, at location: StoreLocation,
        options: StoreOptions = StoreOptions()
    ) throws(StoreLoadingError) {
        try self.init(model: model.withoutSteps, at: location, options: options)
    }

    /// Not available: a model in whose migrations the program does steps needs them.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public convenience init<Steps>(
        name: String, model: SteppedModel<Steps>, directory: String? = nil
    ) {
        self.init(name: name, model: model.withoutSteps, directory: directory)
    }

    /// Not available: a model in whose migrations the program does steps needs them.
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

    /// Not available: a model in whose migrations the program does steps needs them.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public static func migrationForecast<Steps>(
        model: SteppedModel<Steps>, at path: String
    ) throws(StoreLoadingError) -> MigrationForecast? {
        try migrationForecast(model: model.withoutSteps, at: path)
    }

    /// Not available: a model in whose migrations the program does steps needs them.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public static func migrationForecast<Steps>(
        model: SteppedModel<Steps>, at location: StoreLocation
    ) throws(StoreLoadingError) -> MigrationForecast? {
        try migrationForecast(model: model.withoutSteps, at: location)
    }
}
