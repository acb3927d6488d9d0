import CambiumMigration
import CambiumSQLite

/// The making of a store at another place, or of another kind, that has all that an open one has.
struct StoreMove {
    /// The new store.
    let description: StoreDescription
    private let source: any Store
    private let model: RuntimeModel
    private let opener: StoreOpener
    /// The new store's file, where it is one of SQLite's.
    private let file: NewStoreFile?
    /// The numbers of the root entities whose rows it gets.
    private let roots: [Int]

    init(
        of store: PersistentStore, to location: StoreLocation, _ options: StoreOptions?,
        _ type: StoreType?, _ model: RuntimeModel
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
        self.model = model
        source = store.store
        roots = store.roots.sorted()
        opener = StoreOpener(
            description: description, model: model, roots: store.roots, migratesByDefault: true)
        file =
            description.type == .sqlite
            ? location.path.map { NewStoreFile(path: $0, from: store.location.path) } : nil
    }

    /// Makes and opens the new store.
    ///
    /// - Throws: ``StoreLoadingError``; there is nothing new then.
    func open() throws(StoreLoadingError) -> any Store {
        do {
            switch description.type.kind {
            case .sqlite, .memory:
                if let file { return try openFile(file) }
                return try opener.openSQLite(at: nil, filledBy: fillMemory).store
            case .atomic, .incremental:
                return try openCustom()
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

    private func openFile(_ file: NewStoreFile) throws -> any Store {
        if let source = source as? SQLiteStore {
            try StoreCopy(to: file, isNewStore: true).write(from: source)
        } else {
            try file.make { unfinished, files in
                try fill(Connection(path: unfinished), files)
            }
        }
        do {
            let opened = try opener.open().store
            if let notes = (source as? SQLiteStore)?.waitingNotes { opened.setNotes(notes) }
            return opened
        } catch {
            file.remove()
            throw error
        }
    }

    private func fillMemory(_ connection: Connection) throws {
        guard let source = source as? SQLiteStore else { return try fill(connection, nil) }
        try source.withSnapshot(body: { try $0.copy(to: connection, named: "memory") })
        let metadata = StoreMetadataAccess(connection)
        try metadata.replaceIdentifier()
        if let notes = source.waitingNotes { try metadata.setNotes(notes) }
        try MovedFiles(of: source)?.moveIntoRows(connection)
    }

    /// Makes an empty database a store with the rows of one that is none of SQLite's.
    private func fill(_ connection: Connection, _ files: ExternalFiles?) throws {
        var writer = NodeWriter(connection, model, files)
        try writer.makeStore(notes: source.notes()) { writer in
            try readNodes { try writer.write($0) }
        }
    }

    private func openCustom() throws -> any Store {
        let opened = try opener.open().store
        guard let store = opened as? CustomStore else { return opened }
        try store.requireNoRows(ofRoots: roots)
        var nodes: [StoreNode] = []
        let nextKeys = try readNodes { nodes += $0 }
        try store.fill(with: nodes, nextKeys: nextKeys, notes: source.notes())
        return store
    }

    /// Reads all rows.
    ///
    /// - Returns: By the number of the root entity, the first key that was never given.
    private func readNodes(_ receive: ([StoreNode]) throws -> Void) throws -> [Int: Int64] {
        guard let source = source as? any NodeSource else { throw StoreError.closed }
        var lastKeys: [Int: Int64] = [:]
        try source.readNodes(of: roots) { nodes, root in
            lastKeys[root] = nodes.reduce(lastKeys[root] ?? 0) { max($0, $1.key) }
            try receive(nodes)
        }
        var nextKeys: [Int: Int64] = [:]
        for root in roots {
            let (afterLast, isFull) = (lastKeys[root] ?? 0).addingReportingOverflow(1)
            if isFull { throw StoreError.noKeysLeft(for: model.entities[root].name) }
            nextKeys[root] = max(try source.nextKey(ofRoot: root) ?? 1, afterLast)
        }
        return nextKeys
    }
}
