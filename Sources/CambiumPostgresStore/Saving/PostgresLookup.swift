import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL

/// Looks at the rows of a store inside the transaction of a save.
struct PostgresLookup: SaveLookup {
    let layout: PostgresLayout
    let connection: PostgresConnection

    private var model: ModelDescription { layout.model }

    func conflicts(
        _ entity: EntityDescription, _ records: [Record], isDeletion: Bool
    ) throws -> [RowConflict] {
        guard !records.isEmpty else { return [] }
        let versions = Dictionary(
            records.map { ($0.key, $0.version) }, uniquingKeysWith: { first, _ in first })
        var rows: [Int64: PlacedRecord] = [:]
        for (_, placed) in try self.rows(records.map(\.key), entity) {
            rows[placed.record.key] = placed
        }
        return records.compactMap { record in
            let theirs = rows[record.key]
            if let theirs, theirs.record.version == versions[record.key] { return nil }
            return RowConflict(
                entity: entity, key: record.key, theirs: theirs, isDeletion: isDeletion)
        }
    }

    func rows(
        _ keys: some Sequence<Int64>, root: Int
    ) throws -> [(EntityDescription, PlacedRecord)] {
        try rows(Array(keys), model.entities[root])
    }

    private func rows(
        _ keys: [Int64], _ entity: EntityDescription
    ) throws -> [(EntityDescription, PlacedRecord)] {
        guard !keys.isEmpty else { return [] }
        let table = layout.tables[entity.index]
        let request = RowRequest(entity: entity, selection: .keys(keys))
        let rows = try connection.run([PostgresSelect(request, layout).statement])[0]
        let writer = RecordWriter()
        return try (0..<rows.count).map { row in
            let number = table.entity(of: rows, row, in: model)
            return (
                model.entities[number],
                try table.read(rows, row, entity: number, in: model, into: writer)
            )
        }
    }

    func missingKeys(_ keys: Set<Int64>, root: Int) throws -> [Int64] {
        guard !keys.isEmpty else { return [] }
        let pending = PendingArrays(keys: keys.sorted())
        return try self.keys(
            """
            SELECT p."key" FROM \(pending.source) WHERE NOT EXISTS \
            (SELECT FROM \(layout.table(of: model.entities[root].entity)) AS t \
            WHERE t."_id" = p."key")
            """, pending)
    }

    func keysReferring(
        to keys: Set<Int64>, by relationship: RelationshipDescription, of entity: EntityDescription
    ) throws -> [Int64] {
        guard
            case .key(let column, _) = model.model.storage(
                of: relationship.relationship, of: entity.entity), !keys.isEmpty
        else { return [] }
        let pending = PendingArrays(keys: keys.sorted())
        return try self.keys(
            """
            SELECT t."_id" FROM \(layout.table(of: entity.entity)) AS t \
            JOIN \(pending.source) ON \(PostgresTable.column(column)) = p."key"
            """, pending)
    }

    private func keys(_ sql: String, _ pending: PendingArrays) throws -> [Int64] {
        let rows = try connection.run(sql, pending.parameters)
        return (0..<rows.count).map { rows.integer($0, 0) }
    }

    func holders(
        of key: UniqueKey, _ records: [Record], _ entity: EntityDescription
    ) throws -> [UniqueHolder] {
        guard !records.isEmpty else { return [] }
        let declarer = model.entities[key.declarer]
        let pending = PendingArrays(
            records,
            key.slots.map { ($0, PostgresTable.type(ofSlot: $0, of: declarer)) })
        var conditions = key.slots.map { slot in
            let column = declarer.layout.slots[slot].column ?? ""
            return "\(PostgresTable.column(column)) = p.c\(slot)"
        }
        let table = layout.tables[declarer.index]
        if let own = table.ofFamily { conditions.append(own) }
        let rows = try connection.run(
            """
            SELECT p."key", t."_id" FROM \(pending.source) JOIN \(table.source) \
            ON \(conditions.joined(separator: " AND ")) AND t."_id" <> p."key"
            """, pending.parameters)
        return (0..<rows.count).map {
            UniqueHolder(record: rows.integer($0, 0), row: rows.integer($0, 1))
        }
    }

    func pairedKeys(of members: SavePlan.Membership) throws -> [Int64] {
        guard let pairs = PostgresPairs(members.links.relationship, layout) else { return [] }
        let (near, far) =
            members.isSource
            ? (pairs.source, pairs.destination) : (pairs.destination, pairs.source)
        var parameters = PostgresParameters()
        parameters.append(.integer(members.key), as: .bigint)
        let rows = try connection.run(
            "SELECT \(far) FROM \(pairs.table) WHERE \(near) = $1", parameters)
        return (0..<rows.count).map { rows.integer($0, 0) }
    }
}

/// The table of the pairs of a relationship.
struct PostgresPairs {
    let table: String
    let source: String
    let destination: String

    /// - Parameter relationship: Of either side; nil is the result where there are no pairs.
    init?(_ relationship: RelationshipDescription, _ layout: PostgresLayout) {
        let model = layout.model
        guard
            let owner = model.entities.first(where: { entity in
                entity.relationships.contains { $0.identity == relationship.identity }
            }),
            case .joinTable(let name, let source, let destination) = model.model.storage(
                of: relationship.relationship, of: owner.entity)
        else { return nil }
        table = layout.qualified(name)
        self.source = PostgresName.identifier(source)
        self.destination = PostgresName.identifier(destination)
    }
}
