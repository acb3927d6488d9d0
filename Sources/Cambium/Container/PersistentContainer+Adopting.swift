import CambiumAdoption

extension PersistentContainer {
    /// Opens a store, and makes it out of one that Core Data wrote where it is not there yet: for a
    /// program that finds such a store on a user's disk.
    ///
    /// ```swift
    /// let container = try PersistentContainer(
    ///     adopting: oldStore, at: "shop.sqlite", model: Shop.model,
    ///     earlierVersions: Shop.earlierVersions
    /// ) { report in
    ///     print(report.text)
    /// }
    /// ```
    ///
    /// The version that wrote the old store is found among the model's; the new store is there
    /// completely or not at all, and is then opened as any other, which migrates it. The old store
    /// is never changed: remove it when you no longer need it. Where the new store is there
    /// already, it is opened and the old one is not looked at.
    ///
    /// - Parameters:
    ///   - oldStore: The SQLite file that Core Data wrote.
    ///   - path: The path of the new store.
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - earlierVersions: The versions that may have written the old store, the oldest first;
    ///     `Shop.earlierVersions`, which the compiler makes where the file `cambium.json` beside
    ///     the bundle says `"earlierVersions": true`. The current version is one of them always.
    ///   - version: The name of the version that wrote the old store, whatever its tables say: what
    ///     has no column is nil then, or the default, and what has no property is left out. Default
    ///     (nil): it is found by hashes, identifier and tables.
    ///   - options: How to open the new store. Its migration progress tells of the migration, and
    ///     not of the adoption.
    ///   - report: Given what came along and what did not, before the new store is migrated; not
    ///     called where that was there.
    ///   - progress: Called while the old store is copied, on this thread.
    /// - Throws: ``AdoptionError`` where the old store cannot be adopted: it fits no version, is
    ///   damaged or in use, or somebody else adopts it to the same path at the moment; then as ``init(model:at:options:)``, with the new store in the version
    ///   that wrote the old one.
    public convenience init(
        adopting oldStore: URL, at path: String, model: CompiledModel,
        earlierVersions: [Model] = [], writtenBy version: String? = nil,
        options: StoreOptions = StoreOptions(),
        report: (AdoptionReport) -> Void = { _ in },
        progress: (AdoptionProgress) -> Void = { _ in }
    ) throws {
        try Self.adopt(
            oldStore, at: path, model, earlierVersions, version, isCancelled: { Task.isCancelled },
            progress: progress, report: report)
        try self.init(model: model, at: .file(path), options: options)
    }

    /// The same on a thread of its own, so that a large store keeps nobody waiting but the caller.
    /// Cancelling the task ends it soon; there is no new store then, or one that is not migrated
    /// yet.
    ///
    /// - Returns: The container, and the report; nil where the new store was there.
    /// - Throws: As ``init(adopting:at:model:earlierVersions:writtenBy:options:report:progress:)``.
    public static func open(
        adopting oldStore: URL, at path: String, model: CompiledModel,
        earlierVersions: [Model] = [], writtenBy version: String? = nil,
        options: StoreOptions = StoreOptions(),
        progress: (@Sendable (AdoptionProgress) -> Void)? = nil
    ) async throws -> (container: PersistentContainer, report: AdoptionReport?) {
        try await StoreThreads().run {
            var made: AdoptionReport?
            try adopt(
                oldStore, at: path, model, earlierVersions, version,
                isCancelled: { Task.isCancelled },
                progress: { progress?($0) }, report: { made = $0 })
            var options = options
            options.endsMigrationOnCancellation = true
            let container = try PersistentContainer(
                model: model, at: .file(path), options: options)
            return (container, made)
        }
    }

    private static func adopt(
        _ oldStore: URL, at path: String, _ model: CompiledModel, _ earlierVersions: [Model],
        _ version: String?, isCancelled: () -> Bool, progress: (AdoptionProgress) -> Void,
        report: (AdoptionReport) -> Void
    ) throws {
        try StoreLocation.requireFile(path)
        let place = try NewStore(path: path, from: oldStore.path)
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let made: AdoptionReport
        do {
            let store = try CoreDataStore(at: oldStore.path, for: place)
            made = try withoutActuallyEscaping(isCancelled) { isCancelled in
                try withoutActuallyEscaping(progress) { progress in
                    var adoption = Adoption(
                        store, versions: earlierVersions + [model.model],
                        current: model.model.version
                    ) { _, _ in .init(migrations: model.migrations) }
                    // Opening migrates: it knows the program's own steps.
                    adoption.migrates = false
                    adoption.writtenBy = version
                    adoption.isCancelled = isCancelled
                    adoption.progress = progress
                    return try adoption.run(in: place)
                }
            }
        } catch AdoptionError.destinationExists(let found) where found == path {
            // Another program has made it in between.
            return
        }
        report(made)
    }
}
