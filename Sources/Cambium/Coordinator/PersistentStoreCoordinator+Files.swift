import CambiumSQLiteStore

extension PersistentStoreCoordinator {
    /// Copies a store to a new file, as it is now, while it is in use. The copy is the same store
    /// at another place: it has the same UUID, and objects have the same identities in it.
    ///
    /// Fetches and saves go on meanwhile; what is saved during the copy is not in it. Files of
    /// large values are linked or copied too.
    ///
    /// - Throws: ``StoreError`` where there is a file already, the store is none of SQLite's, or the
    ///   copy cannot be written. No half-written copy remains.
    public func backUp(_ store: PersistentStore, to path: String) throws {
        guard try !store.store.backUp(to: path) else { return }
        throw StoreError.invalidRequest(
            "\(store.storeDescription) is not a SQLite store.",
            remedy: "Copy its own files, or move it with "
                + "migratePersistentStore(_:to:options:type:).")
    }

    /// Moves a store to another place, or to one of another kind ("save as"): makes a new store that
    /// has all that the old one has, opens it in place of the old one, and closes that. The old
    /// store stays as it is.
    ///
    /// The kinds are SQLite in a file, SQLite in memory, and stores of the program's own, in every
    /// combination. A file must be new, and a store of the program's own must have no objects yet.
    ///
    /// ```swift
    /// // What was made in memory becomes a document.
    /// try coordinator.migratePersistentStore(store, to: .file("untitled.sqlite"))
    /// // A document of SQLite's becomes one of JSON.
    /// try coordinator.migratePersistentStore(store, to: .file("shop.json"), type: json)
    /// ```
    ///
    /// The new store is a store of its own, with another UUID (or its own, where it is the
    /// program's); an object has the same entity, key and version in it, and keys of deleted objects
    /// are not given again. Contexts go on with their objects, whose identities name the new store
    /// from now on. The program's notes in the metadata move too; the history does from SQLite to
    /// SQLite. What is saved while the store moves may be missing from the new one, so let contexts
    /// rest.
    ///
    /// - Parameters:
    ///   - location: A new file, or memory; for a store of the program's own what it makes of it.
    ///   - options: How to open the new store; nil means like the old one.
    ///   - type: What keeps the new store; nil means what keeps the old one.
    /// - Returns: The new store.
    /// - Throws: ``StoreLoadingError``, where the new store cannot be made, the old one cannot be
    ///   read, or the new one refuses what the old one holds; ``StoreError`` where the old one is
    ///   none of the coordinator's, or is itself calling (see ``remove(_:)``). The old store is still open then, and there is no new one.
    /// - Complexity: Between two stores of SQLite's a copy of the file. To SQLite otherwise, rows go
    ///   a few hundred at a time in one transaction; a store of the program's own gets all in one
    ///   save, and so all are in memory at once.
    @discardableResult
    public func migratePersistentStore(
        _ store: PersistentStore, to location: StoreLocation, options: StoreOptions? = nil,
        type: StoreType? = nil
    ) throws -> PersistentStore {
        try requireOpen(store, among: persistentStores)
        guard !store.store.isInUseByCaller else { throw StoreError.busy }
        let move = try StoreMove(of: store, to: location, options, type, compiled)
        let opened = try move.open()
        let new = PersistentStore(
            storeDescription: move.description, roots: store.roots, store: opened,
            migration: .current)
        do {
            try followOthers(of: new)
            try updateStores { stores in
                // Another thread may have removed it.
                let index = try requireOpen(store, among: stores)
                stores[index] = new
            }
        } catch {
            opened.close()
            move.undo()
            throw error
        }
        PreparedModels.note(model, of: opened.identifier)
        store.store.close()
        forgetRows()
        storeObservers.send(
            StoresDidChange(
                added: [new], removed: [store],
                replacedIdentifiers: [store.identifier: new.identifier]))
        return new
    }

    // MARK: Stores that are not open

    /// Writes the rows and files of one store over another one, as they are now: the way to restore
    /// a backup. SQLite's locks are honoured in both. Afterwards nobody may read or write the
    /// destination who may not read or write the source.
    ///
    /// - Warning: What the destination held is lost. A coordinator that has the destination open
    ///   must remove it before, and add it again.
    /// - Throws: ``StoreError`` where one of the files cannot be read or written, or is in use, where
    ///   a path is none of a file, or files of large values cannot be copied; ``MigrationError`` where
    ///   the source is no store.
    public static func replacePersistentStore(
        at destination: String, withStoreFrom source: String
    ) throws {
        try SQLiteFile.copy(source, over: destination)
    }

    /// Empties a store, files of large values included. The file itself stays, empty, so that
    /// another process that has it open finds an empty database and not a damaged one; opening it
    /// makes a new store. Whoever has it open gets ``StoreError`` with `noStore` until then.
    ///
    /// - Warning: All objects of the store are lost.
    /// - Parameter timeout: How long to wait for locks that others hold.
    /// - Throws: ``StoreError`` where the file is in use (`busy`) or cannot be written, or the path is
    ///   none of a file. Nothing happens where there is no file.
    public static func destroyPersistentStore(
        at path: String, timeout: Duration = .seconds(10)
    ) throws {
        try StoreLocation.requireFile(path)
        guard FileManager.default.fileExists(atPath: path) else { return }
        try SQLiteFile.empty(path, timeout: timeout)
        SectionCacheFile.remove(nil, ofStore: path)
    }
}

/// The making of a store at another place, or of another kind, that has all that an open one has.
struct StoreMove {
    /// The new store.
    let description: StoreDescription
    private let source: any StoreEngine
    private let opener: any StoreOpening
    private let rows: MovedRows

    init(
        of store: PersistentStore, to location: StoreLocation, _ options: StoreOptions?,
        _ type: StoreType?, _ compiled: CompiledModel
    ) {
        var description = store.storeDescription
        description.location = location
        if let options { description.options = options }
        if let type {
            description.type = type
        } else if description.type == .memory, location.path != nil {
            description.type = .sqlite
        }
        self.description = description
        source = store.store
        opener =
            StoreOpeningRequest(
                description: description, compiled: compiled, roots: store.roots,
                migratesByDefault: true, source: store.location
            ).opener
        rows = MovedRows(
            source: source, roots: store.roots.sorted(), model: compiled.modelDescription)
    }

    /// Makes and opens the new store.
    ///
    /// - Throws: ``StoreLoadingError``; there is nothing new then.
    func open() throws(StoreLoadingError) -> any StoreEngine {
        do {
            return try source.opened(byCopyingTo: opener) ?? opener.open(filledWith: rows)
        } catch {
            throw StoreLoadingError(description, error)
        }
    }

    /// Takes a new store back that was opened in vain. What a store of the program's own has taken
    /// over stays with it.
    func undo() { opener.removeNewStore() }
}
