import CambiumRecords

extension ManagedObjectContext {
    /// The state of the stores that the context reads from; of a child, that of its ``parent``.
    public var queryGeneration: QueryGenerationToken {
        parent?.queryGeneration ?? state.generation
    }

    /// Makes the context read one state of the stores, whatever others save meanwhile: the latest
    /// one from its next read on (``QueryGenerationToken/current``), or the one that another
    /// context reads (its ``queryGeneration``). ``QueryGenerationToken/unpinned`` reads the latest
    /// again.
    ///
    /// The state goes on to the latest when the context saves, merges or is reset, and ends after a
    /// time (``StoreOptions/queryGenerationLifetime``): reads throw ``QueryGenerationExpired``
    /// then. Objects that the context has keep their values; ``refreshAllObjects()`` makes them
    /// read anew.
    ///
    /// - Throws: ``StoreError`` where a store is not one of SQLite's in a file: there a fetch and a
    ///   save take turns, and nothing older than the latest can be read. In a child: it reads what
    ///   its parent reads.
    public func setQueryGeneration(_ token: QueryGenerationToken) throws {
        if parent != nil {
            throw StoreError(
                code: .invalidRequest,
                message: "A child context has no query generation of its own.",
                remedy: "Set that of the parent, from which it reads.")
        }
        if token != .unpinned { try QueryGeneration.requireSupport(by: coordinator) }
        state.generation = token
    }

    /// Whether rows may come from the row cache and go there: it knows the latest ones only.
    var usesRowCache: Bool { parent == nil && state.readsLatest }

    /// Goes on to the latest state, after a save, a merge or a reset.
    func advanceQueryGeneration() {
        if case .pinned = state.generation.kind { state.generation = .current }
    }

    /// Where rows of an entity are read from.
    func store(of entity: EntityDescription) -> any ReadableStore {
        let store = state.store(ofRoot: entity.rootIndex)
        return readLogs.last.map { WatchedStore(store, $0) } ?? store
    }
}

extension ContextState {
    /// Where rows of a hierarchy are read from.
    func store(ofRoot root: Int) -> any ReadableStore {
        if let parentReader { return parentReader }
        let store = coordinator.store(ofRoot: root)
        switch generation.kind {
        case .unpinned: return store
        case .pinned(let pinned): return pinned.store(store)
        case .current:
            do {
                let pinned = try QueryGeneration(of: coordinator)
                generation = QueryGenerationToken(kind: .pinned(pinned))
                return pinned.store(store)
            } catch {
                return MissingStore(store.identifier, error)
            }
        }
    }
}
