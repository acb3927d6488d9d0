import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The rows that a save locks before it writes anything, because derived values are computed from
/// them or through them.
struct DerivationLocks {
    private let derivations: PostgresDerivations
    private let request: SaveRequest
    /// Keys by the number of the root.
    private var keys: [Int: Set<Int64>] = [:]
    /// The paths back from rows to others, by the index of the root entity of the others.
    private var walks: [Int: [Walk]] = [:]
    /// The keys of new rows, by the number of the root entity. These rows cannot be locked, and
    /// reference no rows yet.
    private var inserted: [Int: Set<Int64>] = [:]
    private var model: ModelDescription { derivations.layout.model }

    /// A query of the rows that reference other rows along a path.
    private struct Walk {
        let source: MaintainedAttribute.Source
        /// The distance of the rows with known keys from the attribute's own row.
        let start: Int
        /// The distance of the rows to be found.
        let depth: Int
        var keys: Set<Int64>

        func hasSameWay(as other: Walk) -> Bool {
            source.node.path[depth..<start] == other.source.node.path[other.depth..<other.start]
        }
    }

    init(_ derivations: PostgresDerivations, _ request: SaveRequest) {
        self.derivations = derivations
        self.request = request
        for insertion in request.insertions {
            inserted[insertion.entity.rootIndex, default: []]
                .formUnion(insertion.records.map(\.key))
        }
        for maintained in derivations.maintained {
            for source in maintained.attribute.sources {
                let keys =
                    source.keysBefore(request, in: model) + source.keysAfter(request, in: model)
                addAllThatReference(to: keys, at: source.node.path.count, source)
                addEnds(source)
            }
        }
    }

    // MARK: Gathering

    /// - Returns: The rows that can be locked.
    @discardableResult
    private mutating func add(
        _ keys: [Int64], at depth: Int, _ source: MaintainedAttribute.Source
    ) -> Set<Int64> {
        let root = model.root(source, at: depth)
        let known = Set(keys).subtracting(inserted[root] ?? [])
        if !known.isEmpty { self.keys[root, default: []].formUnion(known) }
        return known
    }

    /// Adds rows, and all rows that reference them along the path.
    private mutating func addAllThatReference(
        to keys: [Int64], at start: Int, _ source: MaintainedAttribute.Source
    ) {
        let keys = add(keys, at: start, source)
        guard !keys.isEmpty else { return }
        for depth in 0..<start {
            let walk = Walk(source: source, start: start, depth: depth, keys: keys)
            let root = model.root(source, at: depth)
            let known = walks[root]?.firstIndex { $0.hasSameWay(as: walk) }
            if let known {
                walks[root]?[known].keys.formUnion(keys)
            } else {
                walks[root, default: []].append(walk)
            }
        }
    }

    /// Adds the other ends of links that the request creates. A link can become part of a path
    /// while another save changes the rows behind it.
    private mutating func addEnds(_ source: MaintainedAttribute.Source) {
        let path = source.node.path
        guard let last = path.last else { return }
        switch model.model.storage(of: last.relationship, of: last.source) {
        case .key:
            let keys = writtenKeys(last.relationship.name, of: last.source)
            add(keys, at: path.count, source)
        case .inverseKey:
            guard let inverse = last.relationship.inverse else { return }
            let keys = writtenKeys(inverse, of: source.node.entity)
            addAllThatReference(to: keys, at: path.count - 1, source)
        case .joinTable(let table, let column, _):
            for links in request.links {
                guard let (name, first) = pairs(of: links), name == table else { continue }
                let isSource = first == column
                add(
                    links.added.map { isSource ? $0.destination : $0.source }, at: path.count,
                    source)
            }
        case .transient: break
        }
    }

    private func pairs(of links: SaveRequest.Links) -> (table: String, source: String)? {
        guard
            let owner = model.owner(of: links.relationship),
            case .joinTable(let table, let source, _) = model.model.storage(
                of: links.relationship.relationship, of: owner.entity)
        else { return nil }
        return (table, source)
    }

    /// The keys that rows are written with in a relationship.
    private func writtenKeys(_ name: String, of owner: Entity) -> [Int64] {
        func keys(_ records: [Record], _ entity: EntityDescription, _ slots: SlotSet?) -> [Int64] {
            guard model.model.entity(entity.entity, isKindOf: owner),
                let slot = entity.relationship(named: name)?.slot,
                slots?.contains(slot) ?? true
            else { return [] }
            return records.compactMap { $0.hasValue(slot) ? $0.integer(slot) : nil }
        }
        return request.insertions.flatMap { keys($0.records, $0.entity, nil) }
            + request.updates.flatMap { keys($0.records, $0.entity, $0.slots) }
    }

    // MARK: Statements

    /// A list of keys as SQL, with its parameters: the given keys, and the keys to be locked.
    func list(
        _ given: [Int64], root: Int, _ parameters: inout PostgresParameters
    ) -> String? {
        let keys = self.keys[root, default: []].union(given)
        let walks = self.walks[root] ?? []
        guard !keys.isEmpty || !walks.isEmpty else { return nil }
        parameters.appendArray(of: keys.sorted())
        var list = "$\(parameters.count)"
        for walk in walks {
            parameters.appendArray(of: walk.keys.sorted())
            let query = walk.source.node.keys(
                at: walk.depth, from: walk.start, in: model.model, names: derivations.names,
                of: "SELECT unnest($\(parameters.count))")
            list += " || ARRAY(\(query))"
        }
        return list
    }

    /// The statements that lock the rows, in the order of their tables and keys.
    var statements: [PostgresStatement] {
        model.entities.filter { $0.rootIndex == $0.index }.compactMap { root in
            var parameters = PostgresParameters()
            guard let list = list([], root: root.index, &parameters) else { return nil }
            return derivations.layout.lock(list, root, parameters)
        }
    }

    /// Whether other locks, taken before, include all of these.
    func isCovered(by others: DerivationLocks) -> Bool {
        keys.allSatisfy { root, keys in keys.isSubset(of: others.keys[root] ?? []) }
            && walks.allSatisfy { root, walks in
                walks.allSatisfy { walk in
                    others.walks[root]?.contains {
                        $0.hasSameWay(as: walk) && walk.keys.isSubset(of: $0.keys)
                    } == true
                }
            }
    }
}

extension PostgresLayout {
    /// The statement that locks the rows of a table with keys, in their order.
    ///
    /// - Parameter keys: An array in SQL.
    func lock(
        _ keys: String, _ root: EntityDescription, _ parameters: PostgresParameters
    ) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT count(*) FROM (SELECT FROM \(tables[root.index].source) \
            WHERE t."_id" = ANY(\(keys)) ORDER BY t."_id" FOR NO KEY UPDATE) AS l
            """, parameters)
    }
}

extension ModelDescription {
    /// The number of the root of the rows that are so far from the attribute's own one.
    func root(_ source: MaintainedAttribute.Source, at depth: Int) -> Int {
        let path = source.node.path
        let entity =
            depth < path.count
            ? path[depth].source
            : path.isEmpty
                ? source.node.entity
                : model.entity(named: path[depth - 1].relationship.destination)
                    ?? source.node.entity
        return index(named: model.root(of: entity).name) ?? 0
    }
}
