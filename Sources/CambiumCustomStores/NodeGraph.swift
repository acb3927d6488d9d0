import CambiumRecords

/// The rows of a custom store as one operation sees them: read when they are needed, and kept.
///
/// It belongs to one thread.
final class NodeGraph {
    let model: ModelDescription
    private let backend: any NodeBackend
    /// By the number of the root entity: the rows that were requested by key; nil for none.
    private var known: [[Int64: StoreNode?]]
    /// The hierarchies with all rows known.
    private var complete: Set<Int> = []
    /// The error of a read in a place that cannot throw.
    private(set) var failure: (any Error)?

    init(_ backend: any NodeBackend, _ model: ModelDescription) {
        self.backend = backend
        self.model = model
        known = model.entities.map { _ in [:] }
    }

    /// All rows of a hierarchy, in the order of their keys.
    func nodes(root: Int) throws -> [StoreNode] {
        if !complete.contains(root) {
            for node in try backend.nodes(
                for: StoreFetchRequest(
                    entityNames: names(of: root), keys: nil, condition: nil, arguments: [:]))
            where known[root][node.key] == nil {
                known[root][node.key] = .some(node)
            }
            complete.insert(root)
        }
        return known[root].values.compactMap(\.self).sorted { $0.key < $1.key }
    }

    /// The rows of a family that meet a condition, and perhaps others.
    func candidates(
        of entity: EntityDescription, _ condition: ModelExpression?, _ arguments: [String: Value]
    ) throws -> [StoreNode] {
        if complete.contains(entity.rootIndex) { return try nodes(root: entity.rootIndex) }
        let found = try backend.nodes(
            for: StoreFetchRequest(
                entityNames: names(of: entity.index), keys: nil, condition: condition,
                arguments: arguments))
        for node in found where known[entity.rootIndex][node.key] == nil {
            known[entity.rootIndex][node.key] = .some(node)
        }
        return found.sorted { $0.key < $1.key }
    }

    /// Reads rows by their keys, with one request.
    func load(root: Int, keys: some Sequence<Int64>) throws {
        guard !complete.contains(root) else { return }
        let missing = Set(keys).filter { known[root][$0] == nil }
        guard !missing.isEmpty else { return }
        for key in missing { known[root][key] = .some(nil) }
        for node in try backend.nodes(
            for: StoreFetchRequest(
                entityNames: names(of: root), keys: missing, condition: nil, arguments: [:]))
        where missing.contains(node.key) {
            known[root][node.key] = .some(node)
        }
    }

    /// The row of a key, or nil if there is none.
    func node(root: Int, key: Int64) throws -> StoreNode? {
        try load(root: root, keys: CollectionOfOne(key))
        return known[root][key] ?? nil
    }

    /// Shows a row that is not saved yet in the graph, or its deletion.
    func put(_ node: StoreNode?, root: Int, key: Int64) {
        known[root][key] = .some(node)
    }

    /// Returns the result of the body. If it throws, the error is noted and the empty value is
    /// returned.
    func noting<Result>(_ empty: Result, _ body: () throws -> Result) -> Result {
        do {
            return try body()
        } catch {
            failure = failure ?? error
            return empty
        }
    }

    private func names(of entity: Int) -> [String] {
        model.families[entity].map { model.entities[$0] }.filter { !$0.isAbstract }.map(\.name)
    }

    // MARK: Relationships

    func entity(of node: StoreNode) throws -> EntityDescription { try model.entity(of: node) }

    /// The rows that a relationship references, in the order that it keeps.
    func related(
        to node: StoreNode, by relationship: RelationshipDescription
    ) throws -> [StoreNode] {
        let destination = model.entities[relationship.destination]
        let root = destination.rootIndex
        let found: [StoreNode]
        switch relationship.place {
        case .memory:
            return []
        case .ownRow:
            return try node.destinations[relationship.relationship.name]
                .flatMap { try self.node(root: root, key: $0.key) }.map { [$0] } ?? []
        case .farRow:
            guard let inverse = relationship.inverse.map({ destination.relationships[$0] }) else {
                return []
            }
            found = try nodes(root: root).filter { try key(in: inverse, of: $0) == node.key }
        case .pairs:
            if relationship.ownsPairs {
                let keys = (node.members[relationship.relationship.name] ?? []).map(\.key)
                try load(root: root, keys: keys)
                found = try Set(keys).sorted().compactMap { try self.node(root: root, key: $0) }
            } else {
                let inverse = relationship.relationship.inverse ?? ""
                found = try nodes(root: root).filter { other in
                    other.members[inverse]?.contains { $0.key == node.key } == true
                }
            }
        }
        return relationship.isOrdered
            ? ordered(found, as: node.members[relationship.relationship.name] ?? []) : found
    }

    /// The key that a row has for a to-one relationship, if it has that relationship.
    func key(in relationship: RelationshipDescription, of node: StoreNode) throws -> Int64? {
        try entity(of: node).relationships
            .first { $0.identity == relationship.identity }
            .flatMap { node.destinations[$0.relationship.name]?.key }
    }

    /// Sorts rows in the order of a list. Rows that are not in the list come last.
    private func ordered(_ nodes: [StoreNode], as list: [StoreReference]) -> [StoreNode] {
        let places = Dictionary(
            list.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        return nodes.sorted { one, other in
            let (place, otherPlace) = (places[one.key] ?? .max, places[other.key] ?? .max)
            return place == otherPlace ? one.key < other.key : place < otherPlace
        }
    }
}

/// A row of a custom store as expressions in memory see it.
final class NodeSubject: ExpressionSubject {
    let node: StoreNode
    private let graph: NodeGraph

    init(_ node: StoreNode, _ graph: NodeGraph) {
        self.node = node
        self.graph = graph
    }

    var expressionKey: Int64 { node.key }

    var expressionEntity: String { graph.noting("") { try graph.entity(of: node).name } }

    func value(ofAttribute name: String) -> Value {
        node.values[name] ?? .null
    }

    func related(_ toOne: String) -> (any ExpressionSubject)? {
        subjects(toOne).first
    }

    func relatedObjects(_ toMany: String) -> [any ExpressionSubject] {
        subjects(toMany)
    }

    private func subjects(_ name: String) -> [NodeSubject] {
        graph.noting([]) {
            guard let relationship = try graph.entity(of: node).relationship(named: name) else {
                return []
            }
            return try graph.related(to: node, by: relationship)
                .map { NodeSubject($0, graph) }
        }
    }

    /// The value at the end of a path of to-one relationships, as an order sees it.
    func value(atPath path: [String]) -> Value {
        var subject = self
        for (position, step) in path.enumerated() {
            let isRelationship = graph.noting(false) {
                try graph.entity(of: subject.node).relationship(named: step) != nil
            }
            guard isRelationship else {
                // A step without a relationship is a composite value; the rest of the path names a
                // part.
                return subject.value(ofAttribute: path[position...].joined(separator: "."))
            }
            guard let next = subject.subjects(step).first else { return .null }
            subject = next
        }
        return .int(subject.node.key)
    }
}

extension ObjectOrder {
    /// The values that decide the place of a row of a custom store, without the key.
    func keys(of subject: NodeSubject) throws -> [Value] {
        try zip(readers, terms).map { reader, term in
            switch reader {
            case .slot, .path: subject.value(atPath: term.path ?? [])
            case .computed(let evaluator): try evaluator.evaluate(subject)
            }
        }
    }
}
