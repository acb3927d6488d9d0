import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

extension SQLiteEngine {
    func fetch(
        _ request: RowRequest, on connection: Connection, _ receive: (StoreRow) throws -> Void
    ) throws {
        switch request.selection {
        case .key(let key):
            let values = SQLiteRow(familyReaders[request.entity.index])
            let row = StoreRow(values: values)
            return try step(to: key, request.entity, connection) {
                values.move(row, to: $0)
                try receive(row)
            }
        case .keys(let keys): return try fetch(keys, request, connection, receive)
        case .matching:
            // The rows are looked up in the order of the keys: SQLite would have to sort a list
            // first.
            if let keys = request.keysAlone {
                return try fetch(keys, request, connection, receive)
            }
        case .farEnd: break
        }
        if !request.readsKeysOnly, try scan(request, connection, receive) { return }
        let (sql, parameters) = try statement(for: request, nil)
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        try statement.bind(Self.leading(request.selection) + parameters)
        try deliver(statement, request.entity, receive)
    }

    func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?, into writer: RecordWriter
    ) throws -> ReadRow? {
        var read: ReadRow?
        // Safety: the store retains its readers.
        if let readers = readers.map({ uncounted($0) }), let commit {
            try readers.use { readers in
                try readers.withRowReader(at: commit) {
                    read = try readRow(key, ofRoot: root, on: $0, into: writer)
                }
            }
        } else {
            try withReader { read = try readRow(key, ofRoot: root, on: $0, into: writer) }
        }
        return read
    }

    private func readRow(
        _ key: Int64, ofRoot root: EntityDescription, on connection: Connection,
        into writer: RecordWriter
    ) throws -> ReadRow? {
        // Safety: the store retains its readers.
        try uncounted(familyReaders[root.index]).use { reader in
            var read: ReadRow?
            try step(to: key, root, connection) { row in
                let entity = reader.entity(of: row)
                read = ReadRow(
                    entity: entity,
                    placed: try reader.read(
                        row, entity: entity, key: key, version: row.integer(at: 1), into: writer))
            }
            return read
        }
    }

    func greatestKey(ofRoot root: EntityDescription) throws -> Int64? {
        try withReader { connection in
            let rows = try connection.rows(prepared.selects[root.index].greatestKey)
            return if case .integer(let key)? = rows.first?.first { key } else { nil }
        }
    }

    func count(_ request: RowRequest, on connection: Connection) throws -> Int {
        let (sql, parameters) = try prepared.selects[request.entity.index].count(
            selection(request.selection),
            includesSubentities: request.includesSubentities)
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        try statement.bind(Self.leading(request.selection) + parameters)
        return try statement.step() ? Int(statement.integer(at: 0)) : 0
    }

    func results(
        _ request: RowRequest, _ query: TypedResults, on connection: Connection
    ) throws -> [[Value]] {
        let (sql, parameters) = try statement(for: request, query)
        let types = query.columns.map(\.type)
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        try statement.bind(parameters)
        var results: [[Value]] = []
        while try statement.step() {
            results.append(
                try types.enumerated().map { index, type in
                    if let value = type.value(ofResult: statement.value(at: index)) { return value }
                    throw StoreError(
                        code: .corrupt,
                        message: "Another program has written a value of another type to a row "
                            + "of \(request.entity.name).",
                        remedy: "Correct the value, or restore a backup.")
                })
        }
        return results
    }

    func plan(
        of request: RowRequest, _ query: TypedResults?, on connection: Connection
    ) throws -> FetchPlan {
        let keys = query == nil ? request.leavingOrderFree.keysAlone : nil
        let sql =
            if let keys {
                try prepared.selects[request.entity.index]
                    .rows(DenseKeys(keys) == nil ? .pendingKeys : .keyRange).sql
            } else {
                try statement(for: request, query).sql
            }
        let steps = try connection.plan(of: sql)
        return FetchPlan(
            sql: sql, steps: steps,
            scansTable: steps.contains { $0.drop { $0 == " " }.hasPrefix("SCAN ") })
    }

    /// Returns the statement of a request with a condition.
    private func statement(
        for request: RowRequest, _ query: TypedResults?
    ) throws -> (sql: String, parameters: [StoredValue]) {
        let select = prepared.selects[request.entity.index]
        let selection = selection(request.selection)
        if let query {
            return try select.results(
                query, selection, includesSubentities: request.includesSubentities,
                limit: request.limit, offset: request.offset)
        }
        return request.readsKeysOnly
            ? try select.keys(
                selection, includesSubentities: request.includesSubentities, sort: request.sort,
                limit: request.limit, offset: request.offset)
            : try select.rows(
                selection, includesSubentities: request.includesSubentities, sort: request.sort,
                limit: request.limit, offset: request.offset)
    }

    private func selection(_ selection: RowRequest.Selection) -> SelectSQL.Selection {
        switch selection {
        case .matching(let condition, let arguments): .matching(condition, arguments)
        case .key: .key
        case .keys: .pendingKeys
        case .farEnd(let origin):
            // A relationship with its key in its own row has no other table to read.
            prepared.links[origin.relationship.identity].selection ?? .pendingKeys
        }
    }

    /// Returns the parameter that comes before all others.
    private static func leading(_ selection: RowRequest.Selection) -> [StoredValue] {
        switch selection {
        case .farEnd(let origin): [.integer(origin.key)]
        case .key(let key): [.integer(key)]
        case .matching, .keys: []
        }
    }

    /// Calls the closure with the row of a key, if it exists.
    @inline(__always)
    private func step(
        to key: Int64, _ entity: EntityDescription, _ connection: Connection,
        _ body: (CurrentRow) throws -> Void
    ) throws {
        let number = entity.index
        let statement = try connection.statement(number: number) { prepared.keySelects[number] }
        defer { statement.reset() }
        try statement.bind(key, at: 1)
        if try statement.step() { try body(statement.row) }
    }

    func fetch(
        _ keys: [Int64], _ request: RowRequest, _ connection: Connection,
        _ receive: (StoreRow) throws -> Void
    ) throws {
        if let keys = DenseKeys(keys), try scan(keys, request, connection, receive) { return }
        let shape = RecordShape(kinds: [])
        let writer = RecordWriter()
        // In the order of the keys, because neighbouring rows are on the same pages.
        var pending: [PlacedRecord] = []
        pending.reserveCapacity(keys.count)
        for key in keys.sorted() where key != pending.last?.record.key {
            let placed = writer.makeRecord(shape)
            placed.record.key = key
            pending.append(placed)
        }
        let select = prepared.selects[request.entity.index]
        let values = SQLiteRow(familyReaders[request.entity.index])
        let row = StoreRow(values: values)
        try withExtendedLifetime(pending) {
            let records = pending.map(\.record)
            if let (sql, _) = try select.scan(
                .pendingKeys, maximumColumns: Connection.maximumScanColumns)
            {
                return try connection.scanPending(sql, over: records, shape: shape) { current in
                    values.move(row, to: current)
                    try receive(row)
                }
            }
            var failure: (any Error)?
            try connection.queryPending(
                select.rows(.pendingKeys).sql, over: records, shape: shape
            ) { statement throws(SQLiteError) in
                guard failure == nil else { return }
                values.move(row, to: statement.row)
                do {
                    try receive(row)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
    }

    /// Reads the rows of keys that are close together, with a scan of their range.
    ///
    /// - Returns: False if the entity has too many columns for a scan.
    private func scan(
        _ keys: DenseKeys, _ request: RowRequest, _ connection: Connection,
        _ receive: (StoreRow) throws -> Void
    ) throws -> Bool {
        guard
            let (sql, _) = try prepared.selects[request.entity.index].scan(
                .keyRange, maximumColumns: Connection.maximumScanColumns)
        else { return false }
        let values = SQLiteRow(familyReaders[request.entity.index])
        let row = StoreRow(values: values)
        let (first, last) = (keys.range.lowerBound, keys.range.upperBound)
        try connection.scan(sql, [.integer(first), .integer(last)]) { current in
            guard keys.contains(current.integer(at: 0)) else { return }
            values.move(row, to: current)
            try receive(row)
        }
        return true
    }

    /// Reads rows in any order and without a limit, with a fast scan.
    ///
    /// - Returns: False if the request cannot be answered with a scan.
    private func scan(
        _ request: RowRequest, _ connection: Connection, _ receive: (StoreRow) throws -> Void
    ) throws -> Bool {
        guard request.isUnordered, request.limit == nil, request.offset == 0,
            let (sql, parameters) = try prepared.selects[request.entity.index].scan(
                selection(request.selection),
                includesSubentities: request.includesSubentities,
                maximumColumns: Connection.maximumScanColumns)
        else { return false }
        let values = SQLiteRow(familyReaders[request.entity.index])
        let row = StoreRow(values: values)
        try connection.scan(sql, Self.leading(request.selection) + parameters) { current in
            values.move(row, to: current)
            try receive(row)
        }
        return true
    }

    private func deliver(
        _ statement: Statement, _ entity: EntityDescription, _ receive: (StoreRow) throws -> Void
    ) throws {
        let values = SQLiteRow(familyReaders[entity.index])
        let row = StoreRow(values: values)
        while try statement.step() {
            values.move(row, to: statement.row)
            try receive(row)
        }
    }

    func members(
        of owners: [Int64], _ relationship: RelationshipDescription, on connection: Connection
    ) throws -> [Int64: [LinkSet.Member]]? {
        let destination = model.entities[relationship.destination]
        guard let selection = prepared.links[relationship.identity].selection,
            let sql = prepared.selects[relationship.destination].members(selection)
        else { return nil }
        var members: [Int64: [LinkSet.Member]] = [:]
        try connection.query(sql, over: owners.sorted()) { statement in
            let entity = destination.hasEntityColumn ? model[statement.text(at: 2)] : destination
            members[statement.integer(at: 0), default: []].append(
                LinkSet.Member(
                    key: statement.integer(at: 1), entity: (entity ?? destination).index))
        }
        return members
    }
}

extension ExpressionType {
    /// Returns the value of a result.
    ///
    /// In one case SQLite returns a floating-point number as an integer: the number equals an
    /// integer, the statement has groups and an order, and an IN reads the same column. SQLite then
    /// replaces the number by an integer in place, and sorts it as one.
    fileprivate func value(ofResult stored: StoredValue) -> Value? {
        if case .integer(let number) = stored, isFloatingPoint || self == .date {
            return value(of: .real(Double(number)))
        }
        return value(of: stored)
    }
}

/// The current row of a statement.
private final class SQLiteRow: RowValues {
    // Safety: see `StoreRow`.
    @exclusivity(unchecked) private var current = CurrentRow.none
    private let reader: FamilyReader

    init(_ reader: FamilyReader) {
        self.reader = reader
    }

    @inline(__always)
    func move(_ row: StoreRow, to current: CurrentRow) {
        self.current = current
        row.move(
            to: current.integer(at: 0), version: current.integer(at: 1),
            entity: reader.entity(of: current))
    }

    func record(of row: StoreRow, in writer: RecordWriter) throws -> PlacedRecord? {
        try reader.read(
            current, entity: row.entity, key: row.key, version: row.version, into: writer)
    }
}

/// Reads rows of an entity and its sub-entities.
final class FamilyReader: Sendable {
    private let entity: EntityDescription
    private let model: ModelDescription
    /// The reader for rows of the entity itself.
    private let own: RowReader
    /// The reader for rows of each entity in its family.
    private let readers: [RowReader?]

    init(_ entity: EntityDescription, in model: ModelDescription, _ select: SelectSQL) {
        self.entity = entity
        self.model = model
        own = Self.rowReader(of: entity, in: select)
        let family = model.families[entity.index]
        readers = model.entities.map { entity in
            family.contains(entity.index) ? Self.rowReader(of: entity, in: select) : nil
        }
    }

    private static func rowReader(
        of entity: EntityDescription, in select: SelectSQL
    ) -> RowReader {
        RowReader(
            shape: entity.shape,
            columns: entity.layout.slots.map { slot in
                slot.column.flatMap { select.columns.firstIndex(of: $0) }
                    .map { select.firstColumn + $0 }
            },
            columnNames: entity.layout.slots.map { "\(entity.name).\($0.property)" })
    }

    /// Returns the index of a row's own entity.
    @inline(__always)
    func entity(of row: CurrentRow) -> Int {
        guard entity.hasEntityColumn else { return entity.index }
        return model.index(named: row.text(at: 2)) ?? entity.index
    }

    /// Reads a row's values into a record.
    ///
    /// - Parameter number: The index of the row's own entity.
    @inline(__always)
    func read(
        _ row: CurrentRow, entity number: Int, key: Int64, version: Int64,
        into writer: RecordWriter
    ) throws -> PlacedRecord {
        if number == entity.index {
            return try own.read(row, key: key, version: version, into: writer)
        }
        guard let reader = readers[number] else {
            throw StoreError(
                code: .corrupt,
                message: "Another program has changed the entity of row \(key) to one that the "
                    + "request does not include.",
                remedy: "Restore a backup.")
        }
        return try reader.read(row, key: key, version: version, into: writer)
    }
}

/// Keys that are so close together that at least half of the keys in their range are included. A
/// scan of the range takes less time than a lookup of each key.
struct DenseKeys {
    let range: ClosedRange<Int64>
    /// Whether each key of the range is included.
    private let isWanted: [Bool]

    /// Returns nil if there are few keys, or they are too far apart.
    init?(_ keys: [Int64]) {
        guard keys.count >= 64, let first = keys.min(), let last = keys.max() else { return nil }
        let (distance, overflows) = last.subtractingReportingOverflow(first)
        guard !overflows, distance < Int64(keys.count) * 2 else { return nil }
        range = first...last
        var isWanted = [Bool](repeating: false, count: Int(distance) + 1)
        for key in keys { isWanted[Int(key - first)] = true }
        self.isWanted = isWanted
    }

    /// - Parameter key: A key in the range.
    @inline(__always)
    func contains(_ key: Int64) -> Bool { isWanted[Int(key &- range.lowerBound)] }
}

extension Connection {
    /// Runs a query over keys in the `pending` table.
    func query(
        _ sql: String, over keys: [Int64], _ parameters: [StoredValue] = [],
        _ receive: (Statement) throws(SQLiteError) -> Void
    ) throws {
        guard !keys.isEmpty else { return }
        let shape = RecordShape(kinds: [])
        let writer = RecordWriter()
        let records = keys.map { key in
            let placed = writer.makeRecord(shape, room: 0)
            placed.record.key = key
            return placed
        }
        try withExtendedLifetime(records) {
            try queryPending(
                sql, over: records.map(\.record), shape: shape, parameters: parameters, receive)
        }
    }

    /// Runs one of the statements of ``LinkSQL`` over pairs.
    func run(_ sql: String, over pairs: [(source: Int64, destination: Int64)]) throws {
        guard !pairs.isEmpty else { return }
        let shape = RecordShape(kinds: [.integer])
        let writer = RecordWriter()
        let records = pairs.map { pair in
            let placed = writer.makeRecord(shape)
            placed.record.key = pair.source
            placed.record.setInteger(0, pair.destination)
            return placed
        }
        try withExtendedLifetime(records) {
            _ = try runPending(sql, over: records.map(\.record), shape: shape)
        }
    }
}
