import CambiumSQLiteStore

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
            options.endsMigrationOnCancellation = true
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
}

extension StoreOptions {
    /// The same, with somebody else who is told of the progress of a migration.
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
