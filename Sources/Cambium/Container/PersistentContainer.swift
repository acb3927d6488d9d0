import CambiumMigration
import CambiumSQLite

/// Opens a store with a model and hands out contexts.
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
/// ## Topics
/// - Opening: ``init(model:at:options:)``, ``migration``
/// - Contexts: ``viewContext``, ``performBackgroundTask(_:)``, ``newBackgroundContext()``,
///   ``newContext(isolation:)``
public final class PersistentContainer: Sendable {
    /// The model that the container was opened with.
    public let model: CompiledModel
    /// The coordinator of the store, which all contexts share.
    public let coordinator: StoreCoordinator
    /// What opening did to the store: made it, migrated it, or found it current.
    public let migration: MigrationOutcome

    /// The context for the main actor: for what is shown. It merges what other contexts save.
    ///
    /// Its pending changes are processed at the end of the event in which they were made.
    @MainActor public var viewContext: ManagedObjectContext {
        if let madeViewContext { return madeViewContext }
        let made = makeViewContext()
        madeViewContext = made
        return made
    }

    @MainActor private var madeViewContext: ManagedObjectContext?

    /// Opens the store, makes it where there is none, migrates it where it is of an earlier version.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - location: The file, or memory.
    ///   - options: How to open it.
    /// - Throws: ``MigrationError`` where the file holds something else than a store of a version
    ///   that the program knows, or a migration failed (the store is as it was then);
    ///   ``SQLiteError`` where the file cannot be opened.
    public init(
        model: CompiledModel, at location: StoreLocation, options: StoreOptions = StoreOptions()
    ) throws {
        let runtimeModel = model.runtimeModel
        let path: String? = if case .file(let path) = location { path } else { nil }
        let connection = try Connection(
            path: path ?? ":memory:", mode: options.isReadOnly ? .readOnly : .readWriteCreate)
        if path != nil, !options.isReadOnly { try connection.beginWriteAheadLog() }
        var runner = MigrationRunner(
            model: model.model, statements: model.schema, migrations: model.migrations)
        if let progress = options.migrationProgress { runner.progress = progress }
        migration = try runner.open(connection, backupPath: path)
        let store = try SQLiteStore(
            connection, path: path, model: runtimeModel, isReadOnly: options.isReadOnly)
        if case .migrated = migration {
            try store.sweepExternalFiles(isThorough: true)
        } else {
            try store.sweepExternalFiles(isThorough: false)
        }
        self.model = model
        coordinator = StoreCoordinator(model: runtimeModel, store: store)
    }

    /// Runs a closure with a new context on a background thread, and waits for its result.
    ///
    /// What goes in and out is `Sendable`: object ids and values, not objects.
    ///
    /// - Throws: What the closure throws.
    public func performBackgroundTask<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await newBackgroundContext().perform(body)
    }

    /// A new context with an actor of its own. It merges what other contexts save.
    public func newBackgroundContext() -> BackgroundContext {
        BackgroundContext(coordinator: coordinator)
    }

    /// A new context for the isolation that calls it, which it cannot leave.
    ///
    /// It takes over what others save only when asked (``ManagedObjectContext/mergePending()``, or
    /// ``ManagedObjectContext/automaticallyMergesChangesFromParent`` for every fetch and save).
    public func newContext(
        isolation: isolated (any Actor)? = #isolation
    ) -> ManagedObjectContext {
        ManagedObjectContext(coordinator: coordinator, mergesAutomatically: false)
    }

    @MainActor
    private func makeViewContext() -> ManagedObjectContext {
        let reference = MainActorReference()
        let context = ManagedObjectContext(coordinator: coordinator, mergesAutomatically: true) {
            Task { @MainActor in reference.context?.endEvent() }
        }
        reference.context = context
        return context
    }
}

/// The way back to the view context for a job that was enqueued from anywhere. It does not keep the
/// context alive, and needs no container.
@MainActor
private final class MainActorReference {
    weak var context: ManagedObjectContext?
}
