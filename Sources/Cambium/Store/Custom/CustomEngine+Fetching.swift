import CambiumRecords

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
                    // A row of another entity may lack what the condition looks at.
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
        return try order.sorted(nodes, key: \.key) { try order.keys(of: NodeSubject($0, graph)) }
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
