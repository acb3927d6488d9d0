import Synchronization

/// Keeps all rows of an atomic store in memory.
final class AtomicBackend: NodeBackend {
    private struct Contents {
        /// By the name of the root entity.
        var nodes: [String: [Int64: StoreNode]] = [:]
        var nextKeys: [String: Int64]
        var notes: [String: String]
    }

    let identifier: UUID
    let needsUniquenessChecks = true
    private let store: any AtomicStore
    private let model: Model
    private let contents: Mutex<Contents>

    init(_ store: any AtomicStore, _ model: Model) throws {
        self.store = store
        self.model = model
        let content = try store.load()
        if let content {
            try CustomEngine.requireVersion(content.versionHash, content.modelVersion, of: model)
        }
        identifier = try content?.identifier ?? UUID.random()
        var contents = Contents(
            nextKeys: content?.nextKeys ?? [:], notes: content?.notes ?? [:])
        for node in content?.nodes ?? [] {
            let root = try CustomEngine.root(of: node, in: model)
            contents.nodes[root, default: [:]][node.key] = node
            // A file that people have written need not say which keys are free.
            let (next, isFull) = node.key.addingReportingOverflow(1)
            if isFull { throw StoreError.noKeysLeft(for: root) }
            contents.nextKeys[root] = max(contents.nextKeys[root] ?? 1, next)
        }
        self.contents = Mutex(contents)
    }

    var notes: [String: String] { contents.withLock { $0.notes } }

    func nodes(for request: StoreFetchRequest) throws -> [StoreNode] {
        guard let first = request.entityNames.first, let entity = model.entity(named: first) else {
            return []
        }
        let root = model.root(of: entity).name
        return contents.withLock { contents in
            guard let nodes = contents.nodes[root] else { return [] }
            if let keys = request.keys { return keys.compactMap { nodes[$0] } }
            return Array(nodes.values)
        }
    }

    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64> {
        try contents.withLock { contents in
            let first = contents.nextKeys[root] ?? 1
            let (next, isFull) = first.addingReportingOverflow(Int64(count))
            if isFull { throw StoreError.noKeysLeft(for: root) }
            contents.nextKeys[root] = next
            return first..<next
        }
    }

    func nextKey(ofEntity root: String, mayReserve: Bool) throws -> Int64? {
        contents.withLock { $0.nextKeys[root] ?? 1 }
    }

    func save(_ request: StoreSaveRequest) throws {
        guard !request.isEmpty else { return }
        var changed = contents.withLock { $0 }
        for node in request.inserted + request.updated {
            let root = try CustomEngine.root(of: node, in: model)
            changed.nodes[root, default: [:]][node.key] = node
        }
        for node in request.deleted {
            let root = try CustomEngine.root(of: node, in: model)
            changed.nodes[root]?[node.key] = nil
        }
        if let notes = request.notes { changed.notes = notes }
        try store.save(content(of: changed))
        contents.withLock { contents in
            contents.nodes = changed.nodes
            contents.notes = changed.notes
        }
    }

    private func content(of contents: Contents) -> StoreContent {
        StoreContent(
            identifier: identifier, modelName: model.name, modelVersion: model.version,
            versionHash: model.versionHash, notes: contents.notes, nextKeys: contents.nextKeys,
            nodes: model.roots.flatMap { root in
                (contents.nodes[root.name] ?? [:]).values.sorted { $0.key < $1.key }
            })
    }
}
