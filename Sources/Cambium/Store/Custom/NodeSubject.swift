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
                // What does not lead on is a composite value; the rest of the path names a part.
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
