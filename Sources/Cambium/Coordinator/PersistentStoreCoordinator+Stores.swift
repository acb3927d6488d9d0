import CambiumRecords
import CambiumSQLiteStore

extension PersistentStoreCoordinator {
    /// The stores, in the order in which they were added.
    public var persistentStores: [PersistentStore] { table.persistentStores }

    /// The store at a place; nil where the coordinator has none there.
    public func persistentStore(at location: StoreLocation) -> PersistentStore? {
        persistentStores.first { $0.location.names(location) }
    }

    /// The store that an object is, or would be, saved in; nil where the coordinator does not have
    /// it.
    public func persistentStore(of id: ObjectID) -> PersistentStore? {
        persistentStores.first { $0.identifier == id.store.uuid }
    }

    /// Opens a store, which from then on holds the objects of a configuration's entities. Makes it
    /// where there is none.
    ///
    /// A store of an earlier version of the model is an error, as in Core Data, unless the options
    /// ask for automatic migration. (Containers migrate unless told otherwise.)
    ///
    /// - Parameters:
    ///   - type: SQLite in a file, in memory, or a type of the program's own.
    ///   - configuration: The name of a configuration of the model; nil means all entities.
    ///   - location: The file, or memory.
    ///   - options: How to open it.
    /// - Throws: ``StoreLoadingError``, which says which store it was, and why.
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

    /// Opens the store that a description describes.
    ///
    /// - Throws: ``StoreLoadingError``, which says which store it was, and why.
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
                    // Another thread may have been faster.
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

    /// Closes a store. Its objects stay in their contexts and can be read as far as they were; what
    /// is not in memory yet is missing, and saves of them fail.
    ///
    /// - Throws: ``StoreError`` with `noStore` where the store is not one of the coordinator's, with
    ///   `invalidRequest` where the store itself is calling: in the initializer of an object that is
    ///   being read, in a merge policy, the handler of a batch insertion, a statement hook, or in a
    ///   store of the program's own.
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

    /// Closes all stores, and waits until what is running has ended.
    ///
    /// - Returns: Whether it ended in time.
    func close(waitingAtMost limit: Duration) throws -> Bool {
        if let base { return try base.close(waitingAtMost: limit) }
        let end = ContinuousClock.now + limit
        let stores = persistentStores
        for store in stores { try remove(store) }
        return stores.allSatisfy { $0.store.drain(for: max(.zero, end - .now)) }
    }

    /// - Returns: The place of a store among those of the coordinator.
    /// - Throws: ``StoreError`` where it is none of them.
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
    /// The numbers of the root entities of a configuration; all without one.
    func roots(ofConfiguration name: String?) throws -> Set<Int> {
        guard let name else { return Set(entities.map(\.rootIndex)) }
        guard let configuration = model.configurations.first(where: { $0.name == name }) else {
            let known = model.configurations.map { $0.name }
            throw StoreError.unknownName(
                "The model \(model.name) has no configuration \(name).", name, among: known)
        }
        let members = configuration.entities.compactMap { self[$0]?.index }
        for index in members { try requireWhole(configuration, entities[index], Set(members)) }
        return Set(members.map { entities[$0].rootIndex })
    }

    /// The compiler refuses a model whose configurations take apart what belongs together, but for
    /// models built in code nobody did.
    private func requireWhole(
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

/// Which stores a coordinator has opened or let go of.
public struct StoresDidChange: Sendable {
    /// The stores that were added.
    public let added: [PersistentStore]
    /// The stores that were removed.
    public let removed: [PersistentStore]
    /// Where a store took the place of another one
    /// (``PersistentStoreCoordinator/migratePersistentStore(_:to:options:type:progress:)``), the UUIDs of both:
    /// an object has the same entity and key in the new one.
    public let replacedIdentifiers: [UUID: UUID]
}

extension PersistentStoreCoordinator {
    /// Calls a handler whenever stores were added or removed, at once, on the thread that did it.
    /// The coordinator has them already, or no more; the handler may use it.
    ///
    /// - Returns: What keeps the observation going.
    public func observeStoreChanges(
        _ handler: @escaping @Sendable (StoresDidChange) -> Void
    ) -> ObservationToken {
        storeObservers.observe(handler)
    }

    /// The stores that are added and removed from now on, one element for each time. The sequence
    /// ends with the coordinator.
    public var storeChanges: AsyncStream<StoresDidChange> { storeObservers.makeStream() }
}

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
        guard try !(store.base ?? store).store.backUp(to: path) else { return }
        throw StoreError.invalidRequest(
            "\(store.storeDescription) is not a SQLite store.",
            remedy: "Copy its own files, or move it with "
                + "migratePersistentStore(_:to:options:type:progress:).")
    }

    /// Moves a store to another place, or to one of another kind ("save as"): makes a new store that
    /// has all that the old one has, opens it in place of the old one, and closes that. The old
    /// store stays as it is.
    ///
    /// The kinds are SQLite in a file, SQLite in memory, a server, and stores of the program's own, in
    /// every combination. A file must be new; a store on a server and one of the program's own must
    /// have no objects yet.
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
    /// SQLite, and starts over otherwise. What is saved while the store moves may be missing from the
    /// new one, so let contexts rest.
    ///
    /// Between SQLite and a server, ``PersistentStore/moveReport`` says what was moved: each table was
    /// compared before the commit. A server keeps dates to the microsecond. Values that it cannot hold are
    /// named before anything is written, at most 20 of them, in ``ValidationErrors``. Cancelling the task
    /// ends the move.
    ///
    /// - Parameters:
    ///   - location: A new file, or memory; for a store of the program's own what it makes of it.
    ///   - options: How to open the new store; nil means like the old one.
    ///   - type: What keeps the new store; nil means what keeps the old one.
    ///   - progress: Called during a move between SQLite and a server, on the calling thread, with how
    ///     far it is.
    /// - Returns: The new store.
    /// - Throws: ``StoreLoadingError``, where the new store cannot be made, the old one cannot be
    ///   read, or the new one refuses what the old one holds; ``StoreError`` where the old one is
    ///   none of the coordinator's, or is itself calling (see ``remove(_:)``). The old store is still open then, and there is no new one.
    /// - Complexity: Between two stores of SQLite's a copy of the file. Between SQLite and a server the
    ///   rows of a table go a few thousand at a time, whatever their number, in one transaction. From a
    ///   store of the program's own the keys and lists of all objects are in memory; to one, all objects
    ///   are, as it gets them in one save.
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
        try StoreFile.requirePath(path)
        guard FileManager.default.fileExists(atPath: path) else { return }
        try SQLiteFile.empty(path, timeout: timeout)
        SectionCacheFile.remove(nil, ofStore: path)
    }
}

/// The making of a store at another place, or of another kind, that has all that an open one has.
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

    /// Makes and opens the new store.
    ///
    /// - Throws: ``StoreLoadingError``; there is nothing new then.
    func open() throws(StoreLoadingError) -> (store: any StoreEngine, report: MoveReport?) {
        do {
            return try rows.open(with: opener)
        } catch {
            throw StoreLoadingError(description, error)
        }
    }

    /// Takes a new store back that was opened in vain. What a store of the program's own has taken
    /// over stays with it.
    func undo() { opener.removeNewStore() }
}
