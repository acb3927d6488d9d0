import CambiumMigration
import CambiumSQLite

extension PersistentStoreCoordinator {
    /// Copies a store to a new file, as it is now, while it is in use. The copy is the same store
    /// at another place: it has the same UUID, and objects have the same identities in it.
    ///
    /// Fetches and saves go on meanwhile; what is saved during the copy is not in it. Files of
    /// large values are linked or copied too.
    ///
    /// - Throws: ``StoreError`` where there is a file already, or the store is none of SQLite's;
    ///   ``SQLiteError`` where the copy cannot be written. No half-written copy remains.
    public func backUp(_ store: PersistentStore, to path: String) throws {
        try StoreCopy(to: path).write(from: try Self.sqliteStore(of: store))
    }

    /// Moves a store to another place ("save as"): copies it, closes the old one, opens the new one
    /// in its place. The old file stays as it is.
    ///
    /// The new store is a store of its own, with another UUID; an object has the same entity and
    /// key in it. Contexts go on with their objects, whose identities name the new store from now
    /// on. What is saved while the store moves may be missing from the new one, so let contexts
    /// rest.
    ///
    /// - Parameters:
    ///   - location: A new file, or memory.
    ///   - options: How to open the new store; nil means like the old one.
    /// - Returns: The new store.
    /// - Throws: As ``backUp(_:to:)``; ``StoreLoadingError``. The old store is still open then.
    @discardableResult
    public func migratePersistentStore(
        _ store: PersistentStore, to location: StoreLocation, options: StoreOptions? = nil
    ) throws -> PersistentStore {
        var description = store.storeDescription
        description.location = location
        if let options { description.options = options }
        let source = try Self.sqliteStore(of: store)
        let opener = StoreOpener(
            description: description, model: model, roots: store.roots, migratesByDefault: true)
        let opened: any Store
        if let path = location.path {
            try StoreCopy(to: path, isNewStore: true).write(from: source)
            opened = try loading(description) { try opener.open().store }
        } else {
            opened = try loading(description) {
                try opener.openSQLite(at: nil, filledFrom: source).store
            }
        }
        if let notes = source.waitingNotes { opened.setNotes(notes) }
        let new = PersistentStore(
            storeDescription: description, roots: store.roots, store: opened, migration: .current)
        do {
            try followOthers(of: new)
            try updateStores { stores in
                guard let index = stores.firstIndex(of: store) else { throw StoreError.closed }
                stores[index] = new
            }
        } catch {
            opened.close()
            throw error
        }
        PreparedModels.note(model, of: opened.identifier)
        store.store.close()
        forgetRows()
        storeObservers.tell(
            StoresDidChange(
                added: [new], removed: [store],
                replacedIdentifiers: [store.identifier: new.identifier]))
        return new
    }

    private func loading<Result>(
        _ description: StoreDescription, _ body: () throws -> Result
    ) throws(StoreLoadingError) -> Result {
        do {
            return try body()
        } catch {
            throw StoreLoadingError(description, error)
        }
    }

    private static func sqliteStore(of store: PersistentStore) throws -> SQLiteStore {
        guard let sqlite = store.store as? SQLiteStore else {
            throw StoreError(
                code: .invalidRequest,
                message: "\(store.storeDescription) is no SQLite store. Copy its own files.")
        }
        return sqlite
    }

    // MARK: Stores that are not open

    /// Writes the rows and files of one store over another one, as they are now: the way to restore
    /// a backup. SQLite's locks are honoured in both.
    ///
    /// - Warning: What the destination held is lost. A coordinator that has the destination open
    ///   must remove it before, and add it again.
    /// - Throws: ``SQLiteError`` where one of the files cannot be read or written, or is in use.
    public static func replacePersistentStore(
        at destination: String, withStoreFrom source: String
    ) throws {
        let original = try Connection(path: source, mode: .readOnly)
        // A file that is no store must not destroy one.
        _ = try StoreMetadataAccess(original).metadata(path: source)
        let former = StoreFiles.externalFiles(ofStore: destination)
        try StoreFiles.linkExternalFiles(ofStore: source, to: destination)
        let copy = try Connection(path: destination)
        try original.copy(to: copy, named: destination)
        try HistorySetup.renew(copy)
        let kept = StoreFiles.externalFiles(ofStore: source)
        if !former.isSubset(of: kept) {
            StoreFiles.removeExternalFiles(ofStore: destination, except: kept)
        }
    }

    /// Empties a store, files of large values included. The file itself stays, empty, so that
    /// another process that has it open finds an empty database and not a damaged one; opening it
    /// makes a new store.
    ///
    /// - Warning: All objects of the store are lost.
    /// - Parameter timeout: How long to wait for locks that others hold.
    /// - Throws: ``SQLiteError`` where the file is in use. Nothing happens where there is none.
    public static func destroyPersistentStore(
        at path: String, timeout: Duration = .seconds(10)
    ) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        var options = StoreOptions()
        options.busyTimeout = timeout
        try Connection(path: path, mode: .readWrite, settings: ConnectionSettings(options))
            .emptyDatabase()
        StoreFiles.removeExternalFiles(ofStore: path)
        SectionCacheFile.remove(nil, ofStore: path)
    }
}
