@_spi(Generated) import CambiumMigration

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
}
