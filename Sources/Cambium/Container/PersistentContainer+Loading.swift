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
                    description.options.endsMigrationOnCancellation = true
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
                if description.type == .sqlite { try StoreLocation.requireFile(path) }
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
