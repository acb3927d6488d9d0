import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The statements that read the far ends of relationships of rows, along the paths of a request.
/// Each statement selects the rows before it again, so that all can be sent at once.
struct PostgresPrefetch {
    /// The result of one statement.
    struct Part {
        /// The owners of the far ends: the rows of an earlier part; nil for the rows of the
        /// request.
        let owners: Int?
        let relationship: RelationshipDescription
        let content: Content
    }

    enum Content {
        /// Rows that their owners name.
        case rows
        /// Rows with their owners, in the order of the lists.
        case ownedRows
        /// Owners with keys of rows that the next part reads, in the order of the lists.
        case pairs
    }

    /// Rows whose far ends are read.
    private struct Source {
        let entity: EntityDescription
        /// FROM and the clauses after it.
        let fragment: PostgresFragment
        /// The SELECT of the keys of the rows.
        let keys: PostgresFragment
        let part: Int?

        init(
            _ entity: EntityDescription, _ fragment: PostgresFragment,
            keys: PostgresFragment? = nil, part: Int? = nil
        ) {
            self.entity = entity
            self.fragment = fragment
            self.keys = keys ?? "SELECT \(raw: PostgresSelect.key) \(fragment)"
            self.part = part
        }

        /// The SELECT of a column of the rows.
        func column(_ name: String) -> PostgresFragment { "SELECT \(raw: name) \(fragment)" }
    }

    /// The last ones belong to the parts.
    private(set) var statements: [PostgresStatement] = []
    private(set) var parts: [Part] = []
    /// The keys of the rows of the request, if they are known before.
    let keys: [Int64]
    private let layout: PostgresLayout

    /// - Parameter select: The statement that selects the rows of the request.
    init(_ request: RowRequest, _ select: PostgresSelect, _ layout: PostgresLayout) throws {
        keys = []
        self.layout = layout
        let paths = request.prefetched.map { $0[...] }
        var rows = Source(request.entity, select.source)
        if let limit = request.limit, limit <= Self.greatestKept, uses(paths) > 1 {
            rows = keep(rows)
        }
        try add(paths, from: rows)
    }

    /// The maximum number of keys that are kept between statements. If there are more, it takes
    /// less time to select the rows again than to look up each key.
    private static let greatestKept = 1_000

    /// - Parameter keys: The keys of the rows that the request has found.
    init(_ request: RowRequest, of keys: [Int64], _ layout: PostgresLayout) throws {
        self.keys = keys
        self.layout = layout
        let rows: PostgresFragment = """
            FROM \(raw: layout.tables[request.entity.index].source) \
            WHERE \(raw: PostgresSelect.key) = ANY(\(PostgresFragment(keys: keys)))
            """
        try add(request.prefetched.map { $0[...] }, from: Source(request.entity, rows))
    }

    private typealias Path = ArraySlice<RelationshipDescription>

    /// The first relationships of the paths. Common beginnings are merged.
    private func branches(
        _ paths: [Path]
    ) -> [(relationship: RelationshipDescription, rest: [Path])] {
        var done: Set<Int> = []
        return paths.compactMap(\.first).compactMap { relationship in
            guard relationship.place != .memory, done.insert(relationship.identity).inserted else {
                return nil
            }
            let rest = paths.filter { $0.first?.identity == relationship.identity }
            return (relationship, rest.map { $0.dropFirst() })
        }
    }

    /// The number of statements that select the rows at the start of the paths.
    private func uses(_ paths: [Path]) -> Int {
        branches(paths).reduce(0) { uses, branch in
            uses + (branch.relationship.isJoinTable ? 2 : 1) + self.uses(branch.rest)
        }
    }

    private mutating func add(_ paths: [Path], from source: Source) throws {
        for (relationship, rest) in branches(paths) {
            try add(rest, from: add(relationship, of: source))
        }
    }

    /// Keeps the keys of rows until the transaction ends. The query that finds the rows may read a
    /// complete table; so it runs only once more, and not in each statement.
    private mutating func keep(_ source: Source) -> Source {
        let keep: PostgresFragment =
            "SELECT set_config('cambium.keys', ARRAY(\(source.keys))::text, true) IS NULL"
        statements.append(keep.statement())
        let keys: PostgresFragment = "SELECT unnest(current_setting('cambium.keys')::bigint[])"
        let table = layout.tables[source.entity.index].source
        return Source(
            source.entity, "FROM \(raw: table) WHERE \(raw: PostgresSelect.key) IN (\(keys))",
            keys: keys)
    }

    /// Adds the far ends of a relationship.
    private mutating func add(
        _ relationship: RelationshipDescription, of source: Source
    ) throws -> Source {
        let destination = layout.model.entities[relationship.destination]
        let table = layout.tables[destination.index]
        func rows(_ condition: PostgresFragment) -> Source {
            Source(
                destination, "FROM \(raw: table.source) WHERE \(condition)", part: parts.count)
        }
        func note(_ content: Content, _ sql: PostgresFragment) {
            parts.append(
                Part(owners: source.part, relationship: relationship, content: content))
            statements.append(sql.statement())
        }
        if let slot = relationship.slot {
            guard let column = source.entity.layout.slots[slot].column else { return source }
            let name = PostgresTable.column(column)
            let found = rows("\(raw: PostgresSelect.key) IN (\(source.column(name)))")
            note(.rows, "SELECT \(raw: table.list) \(found.fragment)")
            return found
        }
        let link = try PostgresLink(relationship, of: source.entity, layout)
        let order = link.position.map { "\($0) NULLS LAST, " } ?? ""
        guard let pairs = link.pairs else {
            let found = rows("\(raw: link.owner) IN (\(source.keys))")
            note(
                .ownedRows,
                """
                SELECT \(raw: table.list), \(raw: link.owner) \(found.fragment) \
                ORDER BY \(raw: order)\(raw: PostgresSelect.key)
                """)
            return found
        }
        // A row may be the far end of many.
        let linked: PostgresFragment =
            "FROM \(raw: pairs.table) WHERE \(raw: link.owner) IN (\(source.keys))"
        note(
            .pairs,
            """
            SELECT \(raw: link.owner), \(raw: pairs.member) \(linked) \
            ORDER BY \(raw: order)\(raw: pairs.member)
            """)
        let found = rows(
            "\(raw: PostgresSelect.key) IN (SELECT \(raw: pairs.member) \(linked))")
        note(.rows, "SELECT \(raw: table.list) \(found.fragment)")
        return found
    }
}
