import CambiumRecords

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
        type: StoreType = .sqlite, configuration: String? = nil, at location: StoreLocation,
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
    fileprivate func roots(ofConfiguration name: String?) throws -> Set<Int> {
        guard let name else { return Set(entities.map(\.rootIndex)) }
        guard let configuration = model.configurations.first(where: { $0.name == name }) else {
            let known = model.configurations.map(\.name)
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
        let related = entity.relationships.filter { !$0.isTransient }.map(\.destination)
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
    /// (``PersistentStoreCoordinator/migratePersistentStore(_:to:options:type:)``), the UUIDs of both:
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
