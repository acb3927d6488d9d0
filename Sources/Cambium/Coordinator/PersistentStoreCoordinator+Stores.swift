import CambiumRecords
import CambiumSQLiteStore

extension PersistentStoreCoordinator {
    /// The stores, in the order of their addition.
    public var persistentStores: [PersistentStore] { table.persistentStores }

    /// Returns the store at a location, or nil if the coordinator has none there.
    public func persistentStore(at location: StoreLocation) -> PersistentStore? {
        persistentStores.first { $0.location.names(location) }
    }

    /// Returns the store of an object, saved or not, or nil if the coordinator does not have the
    /// store.
    public func persistentStore(of id: ObjectID) -> PersistentStore? {
        persistentStores.first { $0.identifier == id.store.uuid }
    }

    /// Opens a store for the objects of a configuration's entities. Creates it if it does not
    /// exist.
    ///
    /// A store of an earlier version of the model is an error, as in Core Data, unless the options
    /// enable automatic migration. (Containers migrate by default.)
    ///
    /// - Parameters:
    ///   - type: SQLite in a file, in memory, or a custom type.
    ///   - configuration: The name of a configuration of the model; nil means all entities.
    ///   - location: The file, or memory.
    ///   - options: The options of the store.
    /// - Throws: ``StoreLoadingError``, with the store and the reason.
    @discardableResult
    public func addPersistentStore(
        type: StoreType? = nil, configuration: String? = nil, at location: StoreLocation,
        options: StoreOptions = StoreOptions()
    ) throws(StoreLoadingError) -> PersistentStore {
        try addPersistentStore(
            StoreDescription(
                type: type, location: location, configuration: configuration, options: options),
            migratesByDefault: false)
    }

    /// Opens the store of a description.
    ///
    /// - Throws: ``StoreLoadingError``, with the store and the reason.
    @discardableResult
    public func addPersistentStore(
        with description: StoreDescription
    ) throws(StoreLoadingError) -> PersistentStore {
        try addPersistentStore(description, migratesByDefault: true)
    }

    func addPersistentStore(
        _ description: StoreDescription, migratesByDefault: Bool
    ) throws(StoreLoadingError) -> PersistentStore {
        if let base {
            return try base.addPersistentStore(description, migratesByDefault: migratesByDefault)
        }
        do {
            let roots = try model.roots(ofConfiguration: description.configuration)
            try requireRoom(for: roots, among: persistentStores)
            let request = try StoreOpeningRequest(
                description: description, compiled: compiled, roots: roots,
                migratesByDefault: migratesByDefault)
            let (store, migration) = try request.opener.open()
            let added = PersistentStore(
                storeDescription: description, roots: roots, store: store, migration: migration)
            do {
                try followOthers(of: added)
                try updateStores { stores in
                    // Another thread may have added a store meanwhile.
                    try requireRoom(for: roots, among: stores)
                    stores.append(added)
                }
            } catch {
                store.close()
                throw error
            }
            PreparedModels.note(model, of: store.identifier)
            storeObservers.send(
                StoresDidChange(added: [added], removed: [], replacedIdentifiers: [:]))
            return added
        } catch {
            throw StoreLoadingError(description, error)
        }
    }

    private func requireRoom(for roots: Set<Int>, among stores: [PersistentStore]) throws {
        for store in stores {
            guard let root = roots.intersection(store.roots).min() else { continue }
            throw StoreError.invalidRequest(
                "The store \(store.location) already has \(model.entities[root].name), "
                    + "and an entity is in one store only.",
                remedy: "Give each store a configuration with other entities.")
        }
    }

    /// Closes a store. Its objects stay in their contexts. Values that are in memory can be read;
    /// other values are missing, and saves of the objects fail.
    ///
    /// - Throws: ``StoreError`` with `noStore` if the store is not one of the coordinator's.
    ///   ``StoreError`` with `invalidRequest` if the store itself is the caller: from an object's
    ///   initializer during a fetch, a merge policy, the handler of a batch insertion, a statement
    ///   hook, or a custom store.
    public func remove(_ store: PersistentStore) throws {
        if let base { return try base.remove(store) }
        let store = store.base ?? store
        guard !store.store.isInUseByCaller else { throw StoreError.busy }
        try updateStores { stores in
            let index = try requireOpen(store, among: stores)
            stores.remove(at: index)
        }
        store.store.close()
        forgetRows()
        storeObservers.send(
            StoresDidChange(added: [], removed: [store], replacedIdentifiers: [:]))
    }

    /// Closes all stores, and waits for running operations.
    ///
    /// - Returns: Whether they ended within the limit.
    func close(waitingAtMost limit: Duration) throws -> Bool {
        if let base { return try base.close(waitingAtMost: limit) }
        let end = ContinuousClock.now + limit
        let stores = persistentStores
        for store in stores { try remove(store) }
        return stores.allSatisfy { $0.store.drain(for: max(.zero, end - .now)) }
    }

    /// - Returns: The index of a store among those of the coordinator.
    /// - Throws: ``StoreError`` if it is not one of them.
    @discardableResult
    func requireOpen(_ store: PersistentStore, among stores: [PersistentStore]) throws -> Int {
        guard let index = stores.firstIndex(of: store) else {
            throw StoreError(
                code: .noStore,
                message: "The store \(store.location) does not belong to the coordinator.",
                remedy: "Add it, or use one of the coordinator's persistentStores.")
        }
        return index
    }
}

extension ModelDescription {
    /// Returns the indices of the root entities of a configuration; all without a name.
    func roots(ofConfiguration name: String?) throws -> Set<Int> {
        guard let name else { return Set(entities.map(\.rootIndex)) }
        guard let configuration = model.configurations.first(where: { $0.name == name }) else {
            let known = model.configurations.map { $0.name }
            throw StoreError.unknownName(
                "The model \(model.name) has no configuration \(name).", name, among: known)
        }
        let members = configuration.entities.compactMap { self[$0]?.index }
        for index in members { try requireComplete(configuration, entities[index], Set(members)) }
        return Set(members.map { entities[$0].rootIndex })
    }

    /// Throws if a configuration separates related entities. The compiler checks this too, but not
    /// for models that were built in code.
    private func requireComplete(
        _ configuration: Configuration, _ entity: EntityDescription, _ members: Set<Int>
    ) throws {
        let related = entity.relationships.filter { !$0.isTransient }.map { $0.destination }
        let hierarchy = families[entity.rootIndex]
        guard let missing = (hierarchy + related).first(where: { !members.contains($0) }) else {
            return
        }
        throw StoreError.invalidRequest(
            "The configuration \(configuration.name) has \(entity.name), but not "
                + "\(entities[missing].name), which belongs to the same hierarchy or is related to "
                + "it.",
            remedy: "Add it to the configuration: relationships stay within a store.")
    }
}

/// The stores that a coordinator has added or removed.
public struct StoresDidChange: Sendable {
    /// The stores that were added.
    public let added: [PersistentStore]
    /// The stores that were removed.
    public let removed: [PersistentStore]
    /// If a store replaced another one
    /// (``PersistentStoreCoordinator/migratePersistentStore(_:to:options:type:progress:)``), the
    /// new UUID by the old one. An object has the same entity and key in the new store.
    public let replacedIdentifiers: [UUID: UUID]
}

extension PersistentStoreCoordinator {
    /// Calls a handler when stores were added or removed, at once, on the thread that did it. The
    /// change is complete then, and the handler may use the coordinator.
    ///
    /// - Returns: A token that keeps the observation active.
    public func observeStoreChanges(
        _ handler: @escaping @Sendable (StoresDidChange) -> Void
    ) -> ObservationToken {
        storeObservers.observe(handler)
    }

    /// The stores that are added and removed from now on, one element for each change. The sequence
    /// ends with the coordinator.
    public var storeChanges: AsyncStream<StoresDidChange> { storeObservers.makeStream() }
}

extension PersistentStoreCoordinator {
    /// Copies a store to a new file, as it is now, while it is in use. The copy is the same store
    /// at another location: it has the same UUID, and objects have the same identities in it.
    ///
    /// Fetches and saves continue meanwhile; saves during the copy are not included. Files of large
    /// values are linked or copied too.
    ///
    /// - Throws: ``StoreError`` if the file exists already, the store is not a SQLite store, or the
    ///   copy cannot be written. Then no partial copy remains.
    public func backUp(_ store: PersistentStore, to path: String) throws {
        guard try !(store.base ?? store).store.backUp(to: path) else { return }
        throw StoreError.invalidRequest(
            "\(store.storeDescription) is not a SQLite store.",
            remedy: "Copy its own files, or move it with "
                + "migratePersistentStore(_:to:options:type:progress:).")
    }

    /// Moves a store to another location, or to another kind of store ("save as"). It creates a new
    /// store with all data of the old store, opens the new store in place of the old store, and
    /// closes the old store. The old store is not changed.
    ///
    /// The kinds are SQLite in a file, SQLite in memory, a server, and custom stores, in every
    /// combination. A file must be new; a store on a server and a custom store must be empty.
    ///
    /// ```swift
    /// // What was made in memory becomes a document.
    /// try coordinator.migratePersistentStore(store, to: .file("untitled.sqlite"))
    /// // A document of SQLite's becomes one of JSON.
    /// try coordinator.migratePersistentStore(store, to: .file("shop.json"), type: json)
    /// ```
    ///
    /// The new store has another UUID. An object has the same entity, key and version in it, and
    /// keys of deleted objects are not reused. Contexts keep their objects; the objects' identities
    /// name the new store from now on. The program's notes in the metadata move too. The history
    /// moves only from SQLite to SQLite, and otherwise starts again. Do not save during the move:
    /// the new store may not have the changes.
    ///
    /// Between SQLite and a server, ``PersistentStore/moveReport`` has the moved tables: each was
    /// compared before the commit. A server stores dates with microseconds. If it cannot store some
    /// values, ``ValidationErrors`` names at most 20 of them before anything is written. If the
    /// task is cancelled, the move ends.
    ///
    /// - Parameters:
    ///   - location: A new file, or memory; a custom store defines its meaning.
    ///   - options: The options of the new store; nil means those of the old one.
    ///   - type: The type of the new store; nil means the type of the old one.
    ///   - progress: Called with the progress of a move between SQLite and a server, on the calling
    ///     thread.
    /// - Returns: The new store.
    /// - Throws: ``StoreLoadingError`` if the new store cannot be created, the old one cannot be
    ///   read, or the new one rejects data of the old one. ``StoreError`` if the old one is not one
    ///   of the coordinator's, or is itself the caller (see ``remove(_:)``). Then the old store is
    ///   still open, and there is no new one.
    /// - Complexity: Between two SQLite stores, a copy of the file. Between SQLite and a server,
    ///   the rows of a table move a few thousand at a time, in one transaction. From a custom
    ///   store, the keys and lists of all objects are in memory. To a custom store, all objects are
    ///   in memory, because it receives them in one save.
    @discardableResult
    public func migratePersistentStore(
        _ store: PersistentStore, to location: StoreLocation, options: StoreOptions? = nil,
        type: StoreType? = nil, progress: (@Sendable (MoveProgress) -> Void)? = nil
    ) throws -> PersistentStore {
        if let base {
            return try base.migratePersistentStore(
                store, to: location, options: options, type: type, progress: progress)
        }
        let store = store.base ?? store
        try requireOpen(store, among: persistentStores)
        guard !store.store.isInUseByCaller else { throw StoreError.busy }
        let move = try StoreMove(of: store, to: location, options, type, compiled, progress)
        let (opened, report) = try move.open()
        let new = PersistentStore(
            storeDescription: move.description, roots: store.roots, store: opened,
            migration: .current, moveReport: report)
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

    /// Replaces the rows and files of one store by those of another one, as they are now. Use it to
    /// restore a backup. It takes SQLite's locks in both stores. Afterwards, the destination's file
    /// permissions are no wider than the source's.
    ///
    /// - Warning: All data of the destination is lost. If a coordinator has the destination open,
    ///   that coordinator must remove the store before the call, and add the store again after it.
    /// - Throws: ``StoreError`` if a file cannot be read or written or is in use, or if a path is
    ///   not that of a file. ``StoreError`` if files of large values cannot be copied;
    ///   ``MigrationError`` if the source is not a store.
    public static func replacePersistentStore(
        at destination: String, withStoreFrom source: String
    ) throws {
        try SQLiteFile.copy(source, over: destination)
    }

    /// Deletes all data of a store, including files of large values. The file itself remains,
    /// empty: a process that has it open finds an empty database, not a damaged one. Opening it
    /// creates a new store. Until then, a process that has it open gets ``StoreError`` with
    /// `noStore`.
    ///
    /// - Warning: All objects of the store are lost.
    /// - Parameter timeout: The maximum time to wait for locks of other connections.
    /// - Throws: ``StoreError`` if the file is in use (`busy`) or cannot be written, or the path is
    ///   not that of a file. If the file does not exist, nothing happens.
    public static func destroyPersistentStore(
        at path: String, timeout: Duration = .seconds(10)
    ) throws {
        try StoreFile.requirePath(path)
        guard FileManager.default.fileExists(atPath: path) else { return }
        try SQLiteFile.empty(path, timeout: timeout)
        SectionCacheFile.remove(nil, ofStore: path)
    }
}

/// The creation of a store at another location, or of another kind, with all data of an open one.
final class StoreMove {
    /// The new store.
    let description: StoreDescription
    private let source: any StoreEngine
    private let opener: any StoreOpening
    private let rows: MovedRows

    init(
        of store: PersistentStore, to location: StoreLocation, _ options: StoreOptions?,
        _ type: StoreType?, _ compiled: CompiledModel,
        _ progress: (@Sendable (MoveProgress) -> Void)?
    ) {
        var description = store.storeDescription
        description.location = location
        if let options { description.options = options }
        switch (store.location, location) {
        case _ where type != nil: description.type = type ?? .sqlite
        case (.server, _), (_, .server): description.type = location.type
        case (_, .file) where description.type == .memory: description.type = .sqlite
        default: break
        }
        self.description = description
        source = store.store
        opener =
            StoreOpeningRequest(
                description: description, compiled: compiled, roots: store.roots,
                migratesByDefault: true, source: store.location
            ).opener
        rows = MovedRows(
            source: source, roots: store.roots.sorted(), model: compiled.modelDescription,
            progress: progress)
    }

    /// Creates and opens the new store.
    ///
    /// - Throws: ``StoreLoadingError``. Then there is no new store.
    func open() throws(StoreLoadingError) -> (store: any StoreEngine, report: MoveReport?) {
        do {
            return try rows.open(with: opener)
        } catch {
            throw StoreLoadingError(description, error)
        }
    }

    /// Removes the new store after a failure. Data that a custom store has received stays in it.
    func undo() { opener.removeNewStore() }
}
