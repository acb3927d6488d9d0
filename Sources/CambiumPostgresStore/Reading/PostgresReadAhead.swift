import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// A store with some rows that were prefetched at one moment. Other rows are read on demand.
final class PostgresReadAhead: SharedStore {
    private let store: any PostgresReading
    private let sources: [(rows: PostgresRows, table: PostgresTable)]
    private let places: [RowIdentity: Place]
    /// The keys at the far ends, by the identity of the relationship and the key of the owner.
    private let links: [Int: [Int64: [Int64]]]

    /// The position of a row.
    private struct Place {
        let source: Int
        let row: Int
    }

    func externalData(named name: String) throws -> Data { try store.externalData(named: name) }

    /// - Parameters:
    ///   - results: The results of the statements.
    ///   - found: The rows of the request; nil if their keys were known before.
    init(
        _ store: any PostgresReading, _ prefetch: PostgresPrefetch,
        _ results: ArraySlice<PostgresRows>,
        of found: PostgresRows? = nil
    ) {
        self.store = store
        let results = Array(results.suffix(prefetch.parts.count))
        var places: [RowIdentity: Place] = [:]
        var links: [Int: [Int64: [Int64]]] = [:]
        var sources: [(rows: PostgresRows, table: PostgresTable)] = []
        func keys(of rows: PostgresRows) -> [Int64] {
            (0..<rows.count).map { rows.integer($0, 0) }
        }
        for (part, rows) in zip(prefetch.parts, results) {
            let relationship = part.relationship
            let table = store.layout.tables[relationship.destination]
            let root = relationship.destinationRoot
            sources.append((rows, table))
            if part.content != .pairs {
                for row in 0..<rows.count {
                    places[RowIdentity(root: root, key: rows.integer(row, 0))] = Place(
                        source: sources.count - 1, row: row)
                }
            }
            if part.content == .rows { continue }
            let (owner, member) =
                part.content == .pairs
                ? (0, 1) : (table.systemColumns.count + table.columns.count, 0)
            let owners =
                part.owners.map { keys(of: results[$0]) } ?? found.map(keys) ?? prefetch.keys
            // Another path may have reached this relationship too, from some of the same owners.
            var ends = Dictionary(owners.map { ($0, [Int64]()) }) { first, _ in first }
            for row in 0..<rows.count {
                ends[rows.integer(row, owner), default: []].append(rows.integer(row, member))
            }
            links[relationship.identity, default: [:]].merge(ends) { first, _ in first }
        }
        self.sources = sources
        self.places = places
        self.links = links
    }

    // MARK: Rows that were read ahead

    /// The positions of the rows that a request finds, in its order; nil if some were not read.
    private func places(of request: RowRequest) -> [Place]? {
        guard request.sort.isEmpty, request.limit == nil, request.offset == 0,
            request.includesSubentities
        else { return nil }
        var keys: [Int64] = []
        switch request.selection {
        case .key, .keys:
            // For one entity alone, some of the rows might be of other entities.
            guard request.entity.index == request.entity.rootIndex else { return nil }
            if case .keys(let all) = request.selection { keys = Set(all).sorted() }
            if case .key(let key) = request.selection { keys = [key] }
        case .farEnd(let origin):
            guard let ends = links[origin.relationship.identity]?[origin.key] else { return nil }
            keys = ends
        case .matching:
            guard let owners = request.owners, request.isUnordered,
                let ends = ends(of: owners.keys, owners.relationship)
            else { return nil }
            keys = ends.flatMap(\.keys)
        }
        let root = request.entity.rootIndex
        let found = keys.compactMap { places[RowIdentity(root: root, key: $0)] }
        return found.count == keys.count ? found : nil
    }

    /// The keys at the far ends of owners; nil if some of them were not read.
    private func ends(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) -> [(owner: Int64, keys: [Int64])]? {
        guard let known = links[relationship.identity] else { return nil }
        let ends = owners.compactMap { owner in known[owner].map { (owner, $0) } }
        return ends.count == owners.count ? ends : nil
    }

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        guard let places = places(of: request) else { return try store.fetch(request, receive) }
        let values = ServerRow(store.layout.model)
        let row = StoreRow(values: request.readsKeysOnly ? nil : values)
        for place in places {
            let source = sources[place.source]
            values.move(row, to: place.row, of: source.rows, source.table)
            try receive(row)
        }
    }

    func members(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) throws -> [Int64: [LinkSet.Member]]? {
        guard let ends = ends(of: owners, relationship) else {
            return try store.members(of: owners, relationship)
        }
        let (root, model) = (relationship.destinationRoot, store.layout.model)
        var members: [Int64: [LinkSet.Member]] = [:]
        for (owner, keys) in ends where !keys.isEmpty {
            members[owner] = keys.compactMap { key in
                guard let place = places[RowIdentity(root: root, key: key)] else { return nil }
                let (rows, table) = sources[place.source]
                return LinkSet.Member(
                    key: key, entity: table.entity(of: rows, place.row, in: model))
            }
        }
        return members
    }

    // MARK: Rows that were not read ahead

    func count(_ request: RowRequest) throws -> Int { try store.count(request) }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        try store.results(request, query)
    }

    func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan {
        try store.plan(of: request, query)
    }
}
