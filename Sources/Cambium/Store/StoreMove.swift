/// The making of a store at another place, or of another kind, that has all that an open one has.
struct StoreMove {
    /// The new store.
    let description: StoreDescription
    private let source: any StoreEngine
    private let compiled: CompiledModel
    private let opener: StoreOpener
    /// The new store's file, where it is one of SQLite's.
    private let file: NewStoreFile?
    /// The numbers of the root entities whose rows it gets.
    private let roots: [Int]

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
        self.compiled = compiled
        source = store.store
        roots = store.roots.sorted()
        opener = StoreOpener(
            description: description, compiled: compiled, roots: store.roots,
            migratesByDefault: true)
        file =
            description.type == .sqlite
            ? location.path.map { NewStoreFile(path: $0, from: store.location.path) } : nil
    }

    /// Makes and opens the new store.
    ///
    /// - Throws: ``StoreLoadingError``; there is nothing new then.
    func open() throws(StoreLoadingError) -> any StoreEngine {
        do {
            if let copy = try source.opened(byCopyingTo: file, opener) { return copy }
            let rows = MovedRows(source: source, roots: roots, compiled: compiled)
            switch description.type.kind {
            case .sqlite, .memory:
                return try opener.openSQLite(filledWith: rows, in: file)
            case .atomic, .incremental:
                let opened = try opener.open().store
                try opened.takeOver(rows)
                return opened
            }
        } catch {
            throw StoreLoadingError(description, error)
        }
    }

    /// Takes the file of a store back that was opened in vain. What a store of the program's own
    /// has taken over stays with it.
    func undo() {
        file?.remove()
    }
}

/// The rows of a store on their way to one of another kind.
struct MovedRows: Sendable {
    /// How many rows are handed over at once.
    static let readAtOnce = 500

    let source: any StoreEngine
    /// The numbers of the root entities.
    let roots: [Int]
    let compiled: CompiledModel

    /// Reads all of them.
    ///
    /// - Returns: By the number of the root entity, the first key that was never given.
    func read(_ receive: ([StoreNode]) throws -> Void) throws -> [Int: Int64] {
        var lastKeys: [Int: Int64] = [:]
        try source.readNodes(of: roots) { nodes, root in
            lastKeys[root] = nodes.reduce(lastKeys[root] ?? 0) { max($0, $1.key) }
            try receive(nodes)
        }
        var nextKeys: [Int: Int64] = [:]
        for root in roots {
            let (afterLast, isFull) = (lastKeys[root] ?? 0).addingReportingOverflow(1)
            if isFull {
                throw StoreError.noKeysLeft(
                    for: compiled.modelDescription.entities[root].name)
            }
            nextKeys[root] = max(try source.nextKey(ofRoot: root) ?? 1, afterLast)
        }
        return nextKeys
    }
}
