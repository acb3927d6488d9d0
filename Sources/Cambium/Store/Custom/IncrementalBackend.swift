import Synchronization

/// Asks an incremental store for rows, each time anew.
final class IncrementalBackend: NodeBackend {
    let identifier: UUID
    let needsUniquenessChecks: Bool
    private let store: any IncrementalStore
    private let savedNotes: Mutex<[String: String]>

    init(_ store: any IncrementalStore, _ model: Model) throws {
        self.store = store
        needsUniquenessChecks = !store.enforcesUniqueConstraints
        let metadata = try store.loadMetadata()
        if let hash = metadata.versionHash {
            try CustomEngine.requireVersion(hash, "of another hash", of: model)
        }
        identifier = metadata.identifier
        savedNotes = Mutex(metadata.notes)
    }

    var notes: [String: String] { savedNotes.withLock { $0 } }

    func nodes(for request: StoreFetchRequest) throws -> [StoreNode] {
        try store.nodes(for: request)
    }

    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64> {
        try store.reserveKeys(ofEntity: root, count: count)
    }

    func nextKey(ofEntity root: String, mayReserve: Bool) throws -> Int64? {
        mayReserve ? try store.reserveKeys(ofEntity: root, count: 1).lowerBound : nil
    }

    func save(_ request: StoreSaveRequest) throws {
        try store.save(request)
        if let notes = request.notes { savedNotes.withLock { $0 = notes } }
    }
}
