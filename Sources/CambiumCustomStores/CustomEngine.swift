import CambiumRecords
import Synchronization

/// The engine of a custom store. Conditions, orders, limits, conflicts and links are evaluated
/// here, over rows that the backend finds.
final class CustomEngine: StoreEngine {
    let identifier: StoreIdentifier
    let isReadOnly: Bool
    let model: ModelDescription
    let backend: any NodeBackend
    /// Notes of the program that the next save is to write.
    let notesToWrite = Mutex<[String: String]?>(nil)
    private let isClosed = Atomic(false)
    /// Held during a save.
    let saving = ThreadLock()
    /// The threads that are passing rows to a context.
    let readers = WorkingThreads()

    init(
        _ backend: any NodeBackend, model: ModelDescription, roots: Set<Int>, isReadOnly: Bool
    ) throws {
        identifier = StoreIdentifier(backend.identifier)
        self.isReadOnly = isReadOnly
        self.model = model
        self.backend = backend
        for entity in model.entities where roots.contains(entity.rootIndex) {
            guard
                let derived = entity.attributes.compactMap(\.self)
                    .first(where: { $0.derivation != nil })
            else { continue }
            throw StoreError.invalidRequest(
                "\(entity.name).\(derived.name) is derived, and only SQLite stores "
                    + "compute derived attributes.",
                remedy: "Keep \(entity.name) in a SQLite store, or make the attribute a stored "
                    + "one.")
        }
    }

    func close() {
        isClosed.store(true, ordering: .releasing)
    }

    var isInUseByCaller: Bool {
        saving.isHeldByCaller || readers.includeCaller
    }

    /// The rows as an operation sees them that begins now.
    func makeGraph() throws -> NodeGraph {
        guard !isClosed.load(ordering: .acquiring) else { throw StoreError.closed }
        return NodeGraph(backend, model)
    }

    func externalData(named name: String) throws -> Data {
        throw StoreError(
            code: .missingFile, message: "A custom store has no files of large values.",
            remedy: "Keep the value in the custom store itself.")
    }

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> {
        guard !isReadOnly else { throw StoreError.readOnly }
        return try backend.reserveKeys(ofEntity: model.entities[root].name, count: count)
    }

    // MARK: Metadata

    func notes() throws -> [String: String] {
        notesToWrite.withLock { $0 } ?? backend.notes
    }

    func setNotes(_ notes: [String: String]) {
        notesToWrite.withLock { $0 = notes }
    }

    // MARK: Opening

    static func requireVersion(_ hash: String, _ version: String, of model: Model) throws {
        guard hash != model.versionHash else { return }
        throw StoreError.invalidRequest(
            "The store has version \(version) of the model, but the program has version "
                + "\(model.version), and custom stores are not migrated.",
            remedy: "Convert the store in the program, and set its version.")
    }

    /// The name of the root entity of a row.
    static func root(of node: StoreNode, in model: Model) throws -> String {
        guard let entity = model.entity(named: node.entityName), !entity.isAbstract else {
            throw StoreError(
                code: .corrupt,
                message: "The store has a row of \(node.entityName), which is not an entity of the "
                    + "model \(model.name), or an abstract one.",
                remedy: "Delete the row in the custom store, or correct its entity.")
        }
        return model.root(of: entity).name
    }
}

/// Keeps the rows of a ``CustomEngine``.
protocol NodeBackend: Sendable {
    /// The identity of the store.
    var identifier: UUID { get }

    /// Returns at least the requested rows.
    func nodes(for request: StoreFetchRequest) throws -> [StoreNode]

    /// Writes changes, all or none.
    func save(_ request: StoreSaveRequest) throws

    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64>

    /// Returns the first key of a root entity that was never assigned.
    ///
    /// - Parameter mayReserve: Whether the key may be reserved if there is no other way to find it.
    /// - Returns: The key, or nil if it would have to be reserved and this is not allowed.
    func nextKey(ofEntity root: String, mayReserve: Bool) throws -> Int64?

    /// The program's entries in the metadata, as they were last saved.
    var notes: [String: String] { get }

    /// Whether unique constraints are checked here, because the store does not check them.
    var needsUniquenessChecks: Bool { get }
}

extension CustomEngine {
    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        let graph = try makeGraph()
        var nodes = try select(request, graph)
        nodes = Array(nodes.dropFirst(request.offset))
        if let limit = request.limit { nodes = Array(nodes.prefix(limit)) }
        let values = NodeRow(model)
        let row = StoreRow(values: values)
        try readers.noting {
            for node in nodes {
                values.move(row, to: node, entity: try graph.entity(of: node).index)
                try receive(row)
            }
        }
    }

    func count(_ request: RowRequest) throws -> Int {
        var request = request
        request.sort = []
        return try select(request, makeGraph()).count
    }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        let graph = try makeGraph()
        let nodes = try select(request, graph)
        let results = try ResultComposer(query).results(
            of: nodes.map { ($0.key, NodeSubject($0, graph)) }, limit: request.limit,
            offset: request.offset)
        if let failure = graph.failure { throw failure }
        return results
    }

    /// The rows in the request's order, before its window.
    private func select(_ request: RowRequest, _ graph: NodeGraph) throws -> [StoreNode] {
        let family = model.families[request.entity.index]
        let wanted = Set(request.includesSubentities ? family : [request.entity.index])
        let root = request.entity.rootIndex
        var isOrdered = false
        var nodes: [StoreNode]
        switch request.selection {
        case .key(let key):
            nodes = try graph.node(root: root, key: key).map { [$0] } ?? []
        case .keys(let keys):
            try graph.load(root: root, keys: keys)
            nodes = try Set(keys).sorted().compactMap { try graph.node(root: root, key: $0) }
        case .matching(let condition, let arguments):
            nodes = try graph.candidates(of: request.entity, condition, arguments)
            if let condition {
                let evaluator = try ExpressionEvaluator(
                    condition: condition, entity: request.entity.entity, model: model.model,
                    parameters: arguments)
                nodes = try nodes.filter { node in
                    // A row of another entity may lack properties of the condition.
                    try wanted.contains(graph.entity(of: node).index)
                        && evaluator.isTrue(NodeSubject(node, graph))
                }
            }
        case .farEnd(let origin):
            isOrdered = origin.relationship.keepsOrder
            nodes = try members(of: origin, graph)
        }
        nodes = try nodes.filter { try wanted.contains(graph.entity(of: $0).index) }
        if !isOrdered, !request.sort.isEmpty { nodes = try sorted(nodes, request, graph) }
        if let failure = graph.failure { throw failure }
        return nodes
    }

    /// The rows at the far end of a relationship.
    private func members(of origin: RowRequest.Origin, _ graph: NodeGraph) throws -> [StoreNode] {
        guard let node = try graph.node(root: origin.entity.rootIndex, key: origin.key),
            let relationship = try graph.entity(of: node).relationships.first(where: {
                $0.identity == origin.relationship.identity
            })
        else { return [] }
        return try graph.related(to: node, by: relationship)
    }

    private func sorted(
        _ nodes: [StoreNode], _ request: RowRequest, _ graph: NodeGraph
    ) throws -> [StoreNode] {
        let order = try ObjectOrder(request.sort, of: request.entity)
        let rows = try nodes.map { ($0.key, try order.keys(of: NodeSubject($0, graph))) }
        return order.indices(of: rows).map { nodes[$0] }
    }
}

/// A row of a custom store.
private final class NodeRow: RowValues {
    private var node: StoreNode?
    private let model: ModelDescription

    init(_ model: ModelDescription) {
        self.model = model
    }

    func move(_ row: StoreRow, to node: StoreNode, entity: Int) {
        self.node = node
        row.move(to: node.key, version: node.version, entity: entity)
    }

    func record(of row: StoreRow, in writer: RecordWriter) throws -> PlacedRecord? {
        try node?.record(of: model.entities[row.entity], in: writer)
    }
}

extension CustomEngine {
    func save(
        _ request: SaveRequest,
        arbiter: any ConflictArbiter,
        willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        try saving.withLock {
            let notes = notesToWrite.withLock { $0 }
            let graph = try makeGraph()
            var changes = NodeChanges(graph: graph)
            let (resolutions, droppedPairs) = try withExtendedLifetime(request) {
                let settled = try plan(request, arbiter, graph)
                return try withExtendedLifetime(settled) {
                    try changes.apply(settled.request)
                    try changes.note(request.checks)
                    return (settled.resolutions, settled.droppedPairs)
                }
            }
            // The backend cannot roll back its writes: it writes last.
            try willCommit()
            try backend.save(changes.request(notes: notes))
            if let notes { didWrite(notes) }
            committed(SaveOutcome(resolutions: resolutions, droppedPairs: droppedPairs))
        }
    }

    /// Returns a plan without conflicts and dangling references.
    private func plan(
        _ request: SaveRequest, _ arbiter: any ConflictArbiter, _ graph: NodeGraph
    ) throws -> SavePlan {
        let lookup = NodeLookup(graph, needsUniquenessChecks: backend.needsUniquenessChecks)
        let planner = SavePlanner(lookup: lookup, model: model)
        var plan = try planner.plan(request, arbiter)
        // SQLite's foreign keys would reject the dangling references that the arbiter has left.
        if let left = try planner.danglingKeys(in: &plan).keys.first {
            throw NodeChanges.missingDestination(
                plan.rows[left.row]?.entity.name ?? "", left.relationship.relationship.name)
        }
        return plan
    }

    func saveWithoutChanges() throws {
        guard !isReadOnly else { return }
        try saving.withLock {
            let notes = notesToWrite.withLock { $0 }
            var request = StoreSaveRequest()
            request.notes = notes
            try backend.save(request)
            if let notes { didWrite(notes) }
        }
    }

    /// Notes that were written wait no more, unless others were set meanwhile.
    private func didWrite(_ notes: [String: String]) {
        notesToWrite.withLock { waiting in
            if waiting == notes { waiting = nil }
        }
    }
}

extension CustomEngine {
    func readNodes(
        of roots: [Int], _ receive: (_ nodes: [StoreNode], _ root: Int) throws -> Void
    ) throws {
        // No save can run meanwhile.
        try saving.withLock {
            for root in roots {
                let name = model.entities[root].name
                let nodes = try makeGraph().nodes(root: root)
                    .filter { try Self.root(of: $0, in: model.model) == name }
                for start in stride(from: 0, to: nodes.count, by: MovedRows.readAtOnce) {
                    let end = min(start + MovedRows.readAtOnce, nodes.count)
                    try receive(Array(nodes[start..<end]), root)
                }
            }
        }
    }

    func nextKey(ofRoot root: Int) throws -> Int64? {
        try backend.nextKey(ofEntity: model.entities[root].name, mayReserve: !isReadOnly)
    }

    func insertRows(of rows: MovedRows) throws {
        try requireNoRows(ofRoots: rows.roots)
        var request = StoreSaveRequest()
        let nextKeys = try rows.read { request.inserted += $0 }
        // Not nil, even if there are none: a store without rows is also written.
        request.notes = try rows.source.notes()
        try saving.withLock {
            for (root, next) in nextKeys.ordered(by: { $0.key < $1.key }) {
                try reserveKeys(upTo: next, root: root)
            }
            try backend.save(request)
        }
    }

    /// - Throws: ``StoreError`` if there are rows of one of the hierarchies.
    private func requireNoRows(ofRoots roots: [Int]) throws {
        for root in roots {
            if try makeGraph().nodes(root: root).isEmpty { continue }
            throw StoreError.hasObjects(of: model.entities[root].name)
        }
    }

    /// Reserves keys in the backend until it will give no key of one of the rows.
    private func reserveKeys(upTo next: Int64, root: Int) throws {
        let name = model.entities[root].name
        var free: Int64 = 1
        while free < next {
            let range = try backend.reserveKeys(ofEntity: name, count: Int(next - free))
            guard range.upperBound > free else {
                throw StoreError.invalidRequest(
                    "The custom store reserves keys for \(name) that do not increase, so "
                        + "that rows would have equal keys.",
                    remedy: "Let reserveKeys(ofEntity:count:) return keys that it never returned "
                        + "before.")
            }
            free = range.upperBound
        }
    }
}
