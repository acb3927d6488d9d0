import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Reads the current rows of a store inside the transaction of a save.
struct PostgresLookup: SaveLookup {
    let layout: PostgresLayout
    let connection: PostgresConnection

    private var answers: PostgresAnswers { PostgresAnswers(layout, connection) }

    func conflicts(
        _ entity: EntityDescription, _ records: [Record], isDeletion: Bool
    ) throws -> [RowConflict] {
        try answers.conflicts(entity, records, isDeletion: isDeletion)
    }

    func rows(
        _ keys: some Sequence<Int64>, root: Int
    ) throws -> [(EntityDescription, PlacedRecord)] {
        try answers.rows(keys, root: root)
    }

    func missingKeys(_ keys: Set<Int64>, root: Int) throws -> [Int64] {
        try answers.missingKeys(keys, root: root)
    }

    func keysReferring(
        to keys: Set<Int64>, by relationship: RelationshipDescription, of entity: EntityDescription
    ) throws -> [Int64] {
        try answers.keysReferring(to: keys, by: relationship, of: entity)
    }

    func holders(
        of key: UniqueKey, _ records: [Record], _ entity: EntityDescription
    ) throws -> [UniqueHolder] {
        try answers.holders(of: key, records, entity)
    }

    func pairedKeys(of members: SavePlan.Membership) throws -> [Int64] {
        try answers.pairedKeys(of: members)
    }
}

/// Answers the questions of the planning of a save. Each question is sent once, and all known
/// questions are sent together.
final class PostgresAnswers: SaveLookup {
    private let layout: PostgresLayout
    private let connection: PostgresConnection
    private let writer = RecordWriter()

    /// By the number of the entity: whether rows are as they were read.
    private var readings: [Int: [Reading: State]] = [:]
    /// By the index of the root entity; nil if there is no row.
    private var known: [Int: [Int64: (EntityDescription, PlacedRecord)?]] = [:]
    private var existing: [Int: [Int64: Bool]] = [:]
    private var referring: [Reference: [Int64: [Int64]]] = [:]
    private var held: [ObjectIdentifier: [[StoredValue]: [Int64]]] = [:]
    private var oneSided: [ObjectIdentifier: Set<Int64>] = [:]
    private var paired: [Side: [Int64: [Int64]]] = [:]

    private struct Reading: Hashable {
        let key: Int64
        let version: Int64
    }

    private enum State {
        case asRead
        case changed(PlacedRecord)
        case missing
    }

    private struct Reference: Hashable {
        let entity: Int
        let relationship: Int
    }

    private struct Side: Hashable {
        let relationship: Int
        let isSource: Bool
    }

    init(_ layout: PostgresLayout, _ connection: PostgresConnection) {
        self.layout = layout
        self.connection = connection
    }

    private var model: ModelDescription { layout.model }

    // MARK: Asking

    /// Statements, and the readers of their results.
    struct Inquiry {
        fileprivate(set) var statements: [PostgresStatement] = []
        private var readers: [(PostgresRows) throws -> Void] = []

        fileprivate mutating func add(
            _ sql: String, _ parameters: PostgresParameters,
            _ read: @escaping (PostgresRows) throws -> Void
        ) {
            statements.append(PostgresStatement(sql, parameters))
            readers.append(read)
        }

        /// Takes the results of the statements.
        func take(_ results: some Sequence<PostgresRows>) throws {
            for (read, rows) in zip(readers, results) { try read(rows) }
        }
    }

    func prepare(for questions: @autoclosure () -> SaveQuestions) throws {
        let inquiry = inquiry(about: questions())
        try inquiry.take(try connection.run(inquiry.statements))
    }

    /// The queries for everything that is not known yet.
    func inquiry(about questions: SaveQuestions) -> Inquiry {
        var inquiry = Inquiry()
        for (entity, records) in questions.read { ask(records, entity, &inquiry) }
        for root in questions.targets.keys.sorted() {
            ask(existenceOf: questions.targets[root] ?? [], root, &inquiry)
        }
        if !questions.deletions.isEmpty {
            for entity in model.entities {
                for relationship in entity.keptRelationships {
                    let root = model.entities[relationship.destination].rootIndex
                    guard let keys = questions.deletions[root] else { continue }
                    ask(referencesTo: keys, by: relationship, of: entity, &inquiry)
                }
            }
        }
        for (key, entity, records) in questions.claims { ask(key, records, entity, &inquiry) }
        for (key, _, records) in questions.ownInverses where !records.isEmpty {
            ask(oneSided: key, records, &inquiry)
        }
        var owners: [Side: [SavePlan.Membership]] = [:]
        for members in questions.memberships { owners[side(members), default: []].append(members) }
        for members in owners.values { ask(members, &inquiry) }
        return inquiry
    }

    /// A row that a statement returns.
    private func read(
        _ rows: PostgresRows, _ row: Int, _ table: PostgresTable, from column: Int
    ) throws -> (EntityDescription, PlacedRecord) {
        let number =
            table.entity.hasEntityColumn
            ? model.index(named: rows.text(row, column + 2)) ?? table.entity.index
            : table.entity.index
        let placed = try table.read(
            rows, row, entity: number, in: model, into: writer, firstColumn: column)
        let entity = model.entities[number]
        known[entity.rootIndex, default: [:]][placed.record.key] = .some((entity, placed))
        return (entity, placed)
    }

    // MARK: Rows as they were read

    func conflicts(
        _ entity: EntityDescription, _ records: [Record], isDeletion: Bool
    ) throws -> [RowConflict] {
        var questions = SaveQuestions()
        questions.read = [(entity, records)]
        try prepare(for: questions)
        let readings = readings[entity.index] ?? [:]
        return records.compactMap { record in
            let theirs: PlacedRecord?
            switch readings[Reading(key: record.key, version: record.version)] {
            case .asRead, nil: return nil
            case .changed(let placed): theirs = placed
            case .missing: theirs = nil
            }
            return RowConflict(
                entity: entity, key: record.key, theirs: theirs, isDeletion: isDeletion)
        }
    }

    private func ask(
        _ records: [Record], _ entity: EntityDescription, _ inquiry: inout Inquiry
    ) {
        let asked = readings[entity.index] ?? [:]
        let records = records.filter {
            asked[Reading(key: $0.key, version: $0.version)] == nil
        }
        guard !records.isEmpty else { return }
        let pending = PendingArrays(records)
        let table = layout.tables[entity.index]
        let own = table.ofFamily.map { " AND \($0)" } ?? ""
        // Unchanged rows are not sent.
        inquiry.add(
            """
            SELECT p."key", p."version", \(table.list) FROM \(pending.source) \
            LEFT JOIN \(table.source) ON t."_id" = p."key"\(own) \
            WHERE t."_id" IS NULL OR t."_version" <> p."version"
            """, pending.parameters
        ) { [self] rows in
            for record in records {
                let reading = Reading(key: record.key, version: record.version)
                readings[entity.index, default: [:]][reading] = .asRead
            }
            for row in 0..<rows.count {
                let reading = Reading(key: rows.integer(row, 0), version: rows.integer(row, 1))
                readings[entity.index]?[reading] =
                    rows.isNull(row, 2)
                    ? .missing : .changed(try read(rows, row, table, from: 2).1)
            }
        }
    }

    // MARK: Rows

    func rows(
        _ keys: some Sequence<Int64>, root: Int
    ) throws -> [(EntityDescription, PlacedRecord)] {
        let keys = Set(keys)
        let unknown = keys.filter { known[root]?[$0] == nil }
        if !unknown.isEmpty {
            let table = layout.tables[root]
            let request = RowRequest(
                entity: model.entities[root], selection: .keys(unknown.sorted()))
            let rows = try connection.run([PostgresSelect(request, layout).statement])[0]
            for key in unknown { known[root, default: [:]][key] = .some(nil) }
            for row in 0..<rows.count { _ = try read(rows, row, table, from: 0) }
        }
        return keys.sorted().compactMap { known[root]?[$0] ?? nil }
    }

    func missingKeys(_ keys: Set<Int64>, root: Int) throws -> [Int64] {
        var questions = SaveQuestions()
        questions.targets = [root: keys]
        try prepare(for: questions)
        return keys.filter { existing[root]?[$0] == false }.sorted()
    }

    private func ask(existenceOf keys: Set<Int64>, _ root: Int, _ inquiry: inout Inquiry) {
        let asked = existing[root] ?? [:]
        let keys = keys.filter { asked[$0] == nil }.sorted()
        guard !keys.isEmpty else { return }
        let pending = PendingArrays(keys: keys)
        inquiry.add(
            """
            SELECT p."key" FROM \(pending.source) WHERE NOT EXISTS \
            (SELECT FROM \(layout.table(of: model.entities[root].entity)) AS t \
            WHERE t."_id" = p."key")
            """, pending.parameters
        ) { [self] rows in
            for key in keys { existing[root, default: [:]][key] = true }
            for row in 0..<rows.count { existing[root]?[rows.integer(row, 0)] = false }
        }
    }

    // MARK: References

    func keysReferring(
        to keys: Set<Int64>, by relationship: RelationshipDescription, of entity: EntityDescription
    ) throws -> [Int64] {
        var inquiry = Inquiry()
        ask(referencesTo: keys, by: relationship, of: entity, &inquiry)
        try inquiry.take(try connection.run(inquiry.statements))
        let found = referring[reference(relationship, entity)] ?? [:]
        return keys.flatMap { found[$0] ?? [] }
    }

    private func reference(
        _ relationship: RelationshipDescription, _ entity: EntityDescription
    ) -> Reference { Reference(entity: entity.index, relationship: relationship.identity) }

    private func ask(
        referencesTo keys: Set<Int64>, by relationship: RelationshipDescription,
        of entity: EntityDescription, _ inquiry: inout Inquiry
    ) {
        let reference = reference(relationship, entity)
        let asked = referring[reference] ?? [:]
        let keys = keys.filter { asked[$0] == nil }.sorted()
        guard
            case .key(let column, _) = model.model.storage(
                of: relationship.relationship, of: entity.entity), !keys.isEmpty
        else { return }
        let pending = PendingArrays(keys: keys)
        // The planner requires complete rows, of any entity of the table.
        let table = layout.tables[entity.rootIndex]
        inquiry.add(
            """
            SELECT p."key", \(table.list) FROM \(table.source) \
            JOIN \(pending.source) ON \(PostgresTable.column(column)) = p."key"
            """, pending.parameters
        ) { [self] rows in
            for key in keys { referring[reference, default: [:]][key] = [] }
            for row in 0..<rows.count {
                let (_, placed) = try read(rows, row, table, from: 1)
                referring[reference]?[rows.integer(row, 0)]?.append(placed.record.key)
            }
        }
    }

    // MARK: Unique values

    func holders(
        of key: UniqueKey, _ records: [Record], _ entity: EntityDescription
    ) throws -> [UniqueHolder] {
        var questions = SaveQuestions()
        questions.claims = [(key, entity, records)]
        try prepare(for: questions)
        let held = held[ObjectIdentifier(key)] ?? [:]
        return records.flatMap { record in
            (key.values(of: record, entity.shape).flatMap { held[$0] } ?? [])
                .filter { $0 != record.key }
                .map { UniqueHolder(record: record.key, row: $0) }
        }
    }

    private func ask(
        _ key: UniqueKey, _ records: [Record], _ entity: EntityDescription,
        _ inquiry: inout Inquiry
    ) {
        let asked = held[ObjectIdentifier(key)] ?? [:]
        var wanted: [Int64: [StoredValue]] = [:]
        let records = records.filter { record in
            guard let values = key.values(of: record, entity.shape), asked[values] == nil else {
                return false
            }
            wanted[record.key] = values
            return true
        }
        guard !records.isEmpty else { return }
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
        let values = wanted
        inquiry.add(
            """
            SELECT p."key", \(table.list) FROM \(pending.source) JOIN \(table.source) \
            ON \(conditions.joined(separator: " AND "))
            """, pending.parameters
        ) { [self] rows in
            let id = ObjectIdentifier(key)
            for values in values.values where held[id]?[values] == nil {
                held[id, default: [:]][values] = []
            }
            for row in 0..<rows.count {
                guard let values = values[rows.integer(row, 0)] else { continue }
                let holder = rows.integer(row, 1)
                if rows.integer(row, 0) != holder { _ = try read(rows, row, table, from: 1) }
                // Two records may claim the same values.
                if held[id]?[values]?.contains(holder) == false {
                    held[id]?[values]?.append(holder)
                }
            }
        }
    }

    /// The first record whose other end, according to the server, does not match it.
    func oneSided(_ key: UniqueKey, _ records: [Record]) -> Int64? {
        let found = oneSided[ObjectIdentifier(key)] ?? []
        return records.first { found.contains($0.key) }?.key
    }

    private func ask(oneSided key: UniqueKey, _ records: [Record], _ inquiry: inout Inquiry) {
        let declarer = model.entities[key.declarer]
        let slot = key.slots[0]
        let pending = PendingArrays(
            records, [(slot, PostgresTable.type(ofSlot: slot, of: declarer))])
        let table = layout.tables[declarer.index]
        let column = PostgresTable.column(declarer.layout.slots[slot].column ?? "")
        let source = "\(pending.source) JOIN \(table.source)"
        let own = PostgresTable.column(SystemColumn.key)
        inquiry.add(
            """
            SELECT p."key" FROM \(source) ON \(column) = p."key" \
            WHERE \(own) IS DISTINCT FROM p.c\(slot) UNION ALL \
            SELECT p."key" FROM \(source) ON \(own) = p.c\(slot) \
            WHERE \(column) IS DISTINCT FROM p."key"
            """, pending.parameters
        ) { [self] rows in
            for row in 0..<rows.count {
                oneSided[ObjectIdentifier(key), default: []].insert(rows.integer(row, 0))
            }
        }
    }

    // MARK: Pairs

    func pairedKeys(of members: SavePlan.Membership) throws -> [Int64] {
        var questions = SaveQuestions()
        questions.memberships = [members]
        try prepare(for: questions)
        return paired[side(members)]?[members.key] ?? []
    }

    private func side(_ members: SavePlan.Membership) -> Side {
        Side(relationship: members.links.relationship.identity, isSource: members.isSource)
    }

    /// - Parameter members: All memberships of one side of a relationship.
    private func ask(_ members: [SavePlan.Membership], _ inquiry: inout Inquiry) {
        guard let first = members.first,
            let pairs = PostgresPairs(first.links.relationship, layout)
        else { return }
        let side = side(first)
        let asked = paired[side] ?? [:]
        let keys = members.map(\.key).filter { asked[$0] == nil }
        guard !keys.isEmpty else { return }
        let (near, far) =
            side.isSource ? (pairs.source, pairs.destination) : (pairs.destination, pairs.source)
        inquiry.add(
            "SELECT \(near), \(far) FROM \(pairs.table) WHERE \(near) = ANY($1)",
            PendingArrays(keys: keys).parameters
        ) { [self] rows in
            for key in keys { paired[side, default: [:]][key] = [] }
            for row in 0..<rows.count {
                paired[side]?[rows.integer(row, 0)]?.append(rows.integer(row, 1))
            }
        }
    }
}
