import Cambium
import CambiumCoreDataStore

extension PersistentContainer {
    /// Opens a store. If it does not exist, it is first imported from a store that Core Data wrote.
    ///
    /// Use this if such a store may exist on a user's disk:
    ///
    /// ```swift
    /// let container = try PersistentContainer(
    ///     importing: oldStore, at: "shop.sqlite", model: Shop.model,
    ///     earlierVersions: Shop.earlierVersions
    /// ) { report in
    ///     print(report.text)
    /// }
    /// ```
    ///
    /// The import finds the model version that wrote the old store. The new store is written
    /// completely or not at all. It is then opened as any other, which migrates it. The old store
    /// is never changed: remove it when you no longer need it. If the new store exists already, it
    /// is opened, and the old one is not read.
    ///
    /// - Parameters:
    ///   - oldStore: The SQLite file that Core Data wrote.
    ///   - path: The path of the new store.
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - earlierVersions: The versions that may have written the old store, the oldest first,
    ///     such as `Shop.earlierVersions`. The compiler generates them if the file `cambium.json`
    ///     beside the bundle contains `"earlierVersions": true`. The current version is always
    ///     included.
    ///   - version: The name of the version that wrote the old store. With this name, the import
    ///     does not compare the tables to find the version: a property without a column is nil or
    ///     the default, and a column without a property is ignored. Default (nil): the import finds
    ///     the version by hashes, identifier and tables.
    ///   - options: The options for the new store. Their migration progress is that of the
    ///     migration, and not of the import.
    ///   - report: Receives the report of the import, with all data that was not imported, before
    ///     the new store is migrated. It is not called if the new store existed.
    ///   - progress: Called while the old store is copied, on this thread.
    /// - Throws: ``CoreDataImportError`` if the old store cannot be imported: the store fits no
    ///   version, is damaged or is in use, or another process is importing to the same path. After
    ///   the import, the same as ``PersistentContainer/init(model:at:options:)``, with the new
    ///   store in the version that wrote the old one.
    public convenience init(
        importing oldStore: URL, at path: String, model: CompiledModel,
        earlierVersions: [Model] = [], writtenBy version: String? = nil,
        options: StoreOptions = StoreOptions(),
        report: (CoreDataImportReport) -> Void = { _ in },
        progress: (CoreDataImportProgress) -> Void = { _ in }
    ) throws {
        try Self.importStore(
            oldStore, at: path, model, earlierVersions, version, isCancelled: { Task.isCancelled },
            progress: progress, report: report)
        try self.init(model: model, at: .file(path), options: options)
    }

    /// Opens a store as
    /// ``init(importing:at:model:earlierVersions:writtenBy:options:report:progress:)`` does, on a
    /// separate thread. Only the caller waits for a large store.
    ///
    /// If the task is cancelled, the import ends soon. Afterwards the new store does not exist, or
    /// it exists and is not migrated yet.
    ///
    /// - Returns: The container, and the report; nil if the new store existed.
    /// - Throws: The errors of
    ///   ``init(importing:at:model:earlierVersions:writtenBy:options:report:progress:)``.
    public static func open(
        importing oldStore: URL, at path: String, model: CompiledModel,
        earlierVersions: [Model] = [], writtenBy version: String? = nil,
        options: StoreOptions = StoreOptions(),
        progress: (@Sendable (CoreDataImportProgress) -> Void)? = nil
    ) async throws -> (container: PersistentContainer, report: CoreDataImportReport?) {
        try await StoreThreads().run {
            var made: CoreDataImportReport?
            try importStore(
                oldStore, at: path, model, earlierVersions, version,
                isCancelled: { Task.isCancelled },
                progress: { progress?($0) }, report: { made = $0 })
            var options = options
            options.isMigrationCancelled = { Task.isCancelled }
            let container = try PersistentContainer(
                model: model, at: .file(path), options: options)
            return (container, made)
        }
    }

    private static func importStore(
        _ oldStore: URL, at path: String, _ model: CompiledModel, _ earlierVersions: [Model],
        _ version: String?, isCancelled: () -> Bool, progress: (CoreDataImportProgress) -> Void,
        report: (CoreDataImportReport) -> Void
    ) throws {
        try StoreFile.requirePath(path)
        let place = try NewStore(path: path, from: oldStore.path)
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let made: CoreDataImportReport
        do {
            let store = try CoreDataStore(at: oldStore.path, for: place)
            made = try withoutActuallyEscaping(isCancelled) { isCancelled in
                try withoutActuallyEscaping(progress) { progress in
                    var importer = CoreDataImporter(
                        store, versions: earlierVersions + [model.model],
                        current: model.model.version
                    ) { _, _ in .init(migrations: model.migrations) }
                    // The store is migrated when it is opened, because the program's own steps are
                    // available then.
                    importer.migrates = false
                    importer.writtenBy = version
                    importer.isCancelled = isCancelled
                    importer.progress = progress
                    return try importer.run(in: place)
                }
            }
        } catch CoreDataImportError.destinationExists(let found) where found == path {
            // Another program has created it meanwhile.
            return
        }
        report(made)
    }
}
