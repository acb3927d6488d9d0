import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The objects whose derived values may change when a save has written its rows. If the save does
/// not contain their keys, subqueries find them in the statements that lock the rows and compute
/// the values. This needs no extra round trip.
struct DerivationOwners {
    private let derivations: PostgresDerivations
    /// For each maintained attribute, keys of such objects.
    private var keys: [Set<Int64>]
    /// For each one, the settings of the transaction that keep more of them.
    private var kept: [[String]]
    /// For each one, rows through which more of them are found.
    private var references: [[Reference]]
    private var model: ModelDescription { derivations.layout.model }

    private struct Reference {
        let source: MaintainedAttribute.Source
        let keys: [Int64]
    }

    /// - Parameters:
    ///   - known: For each maintained attribute, keys of objects that were found before the
    ///     rows were written.
    ///   - kept: The numbers of attributes, with settings of the transaction that keep such keys.
    init(
        _ derivations: PostgresDerivations, _ request: SaveRequest, known: [Set<Int64>],
        kept settings: [(index: Int, name: String)]
    ) {
        self.derivations = derivations
        keys = known
        kept = known.map { _ in [] }
        for (index, name) in settings { kept[index].append(name) }
        references = known.map { _ in [] }
        for (index, maintained) in derivations.maintained.enumerated() {
            for source in maintained.attribute.sources {
                let found = source.keysAfter(request, in: derivations.layout.model)
                if source.isOwnRow {
                    keys[index].formUnion(found)
                } else if !found.isEmpty {
                    references[index].append(Reference(source: source, keys: found))
                }
            }
        }
    }

    /// A condition for the rows `t` of the objects of an attribute; nil if there are none.
    func condition(_ index: Int, _ parameters: inout PostgresParameters) -> String? {
        var query = Query(self, parameters)
        guard let keys = query.keys(of: index) else { return nil }
        parameters = query.parameters
        let attribute = derivations.maintained[index].attribute
        let entity = model.index(named: attribute.entity.name) ?? attribute.rootIndex
        let family = derivations.layout.tables[entity].ofFamily.map { " AND \($0)" } ?? ""
        return "t.\"_id\" = ANY(ARRAY(\(query.whole(keys))))\(family)"
    }

    /// The statements that lock all these objects, in the order of their tables and keys, with the
    /// rows on the paths to them.
    var locks: [PostgresStatement] {
        model.entities.filter { $0.rootIndex == $0.index }.compactMap { root in
            var query = Query(self, PostgresParameters())
            let keys = derivations.maintained.indices.flatMap { index in
                let own =
                    derivations.maintained[index].attribute.rootIndex == root.index
                    ? query.keys(of: index) : nil
                return (own.map { [$0] } ?? []) + query.keys(onTheWayTo: index, ofRoot: root.index)
            }
            guard !keys.isEmpty else { return nil }
            return derivations.layout.lock(
                "ARRAY(\(query.whole(keys.joined(separator: " UNION "))))", root, query.parameters)
        }
    }

    /// A query of keys, with the objects of each attribute that it needs as a common table.
    private struct Query {
        private let owners: DerivationOwners
        private(set) var parameters: PostgresParameters
        private var tables: [String] = []
        private var known: [Int: String?] = [:]

        init(_ owners: DerivationOwners, _ parameters: PostgresParameters) {
            self.owners = owners
            self.parameters = parameters
        }

        func whole(_ query: String) -> String {
            tables.isEmpty ? query : "WITH \(tables.joined(separator: ", ")) \(query)"
        }

        /// A query of the keys of an attribute's objects; nil if there are none.
        mutating func keys(of index: Int) -> String? {
            if let known = known[index] { return known }
            var parts: [String] = []
            let keys = owners.keys[index]
            if !keys.isEmpty { parts.append(list(keys.sorted())) }
            for name in owners.kept[index] {
                parts.append("SELECT unnest(current_setting('\(name)')::bigint[])")
            }
            for (source, rows) in rows(leadingTo: index) {
                parts.append(self.keys(at: 0, source, rows))
            }
            guard !parts.isEmpty else {
                known[index] = .some(nil)
                return nil
            }
            tables.append("d\(index)(k) AS (\(parts.joined(separator: " UNION ")))")
            let name = "SELECT k FROM d\(index)"
            known[index] = name
            return name
        }

        /// Queries of the keys of the rows of a table that are on the paths to an attribute's
        /// objects.
        mutating func keys(onTheWayTo index: Int, ofRoot root: Int) -> [String] {
            let ways = owners.derivations.maintained[index].attribute.sources.contains { source in
                source.node.path.indices.dropFirst().contains {
                    owners.model.root(source, at: $0) == root
                }
            }
            guard ways else { return [] }
            return rows(leadingTo: index).flatMap { source, rows in
                source.node.path.indices.dropFirst()
                    .filter { owners.model.root(source, at: $0) == root }
                    .map { keys(at: $0, source, rows) }
            }
        }

        /// Queries of the keys of rows at the ends of the paths of an attribute's objects.
        private mutating func rows(
            leadingTo index: Int
        ) -> [(source: MaintainedAttribute.Source, rows: String)] {
            var found = owners.references[index].map { ($0.source, list($0.keys)) }
            for (source, other) in owners.derivations.maintained[index].dependencies {
                // Whatever is computed from a value may be another one with it.
                if let rows = keys(of: other) { found.append((source, rows)) }
            }
            return found
        }

        private func keys(
            at depth: Int, _ source: MaintainedAttribute.Source, _ rows: String
        ) -> String {
            source.node.keys(
                at: depth, from: source.node.path.count, in: owners.model.model,
                names: owners.derivations.names, of: rows)
        }

        private mutating func list(_ keys: [Int64]) -> String {
            parameters.appendArray(of: keys)
            return "SELECT unnest($\(parameters.count))"
        }
    }
}
