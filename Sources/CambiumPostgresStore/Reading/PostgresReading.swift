import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// A reader of the rows of a store on a server: of its current state, or of a former one.
protocol PostgresReading: SharedStore {
    var layout: PostgresLayout { get }

    /// Runs a body that sends one statement.
    func withReader<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result

    /// Runs a body whose statements all see the same state.
    ///
    /// - Parameter last: The statements that read at the end, after the body.
    func withSnapshot<Result>(
        last: (Result) throws -> [PostgresStatement], _ interruption: Interruption?,
        _ body: (PostgresConnection) throws -> Result
    ) throws -> (Result, [PostgresRows])

    /// Runs statements that all see the same, in one round trip.
    func readTogether(
        _ statements: [PostgresStatement], _ interruption: Interruption?
    ) throws -> [PostgresRows]
}

/// A reader in one open transaction: all its statements see the same state.
protocol PostgresHeldReading: PostgresReading {}

extension PostgresHeldReading {
    func withSnapshot<Result>(
        last: (Result) throws -> [PostgresStatement], _ interruption: Interruption?,
        _ body: (PostgresConnection) throws -> Result
    ) throws -> (Result, [PostgresRows]) {
        try withReader { connection in
            let result = try body(connection)
            return (result, try connection.run(last(result), interruption: interruption))
        }
    }

    func readTogether(
        _ statements: [PostgresStatement], _ interruption: Interruption?
    ) throws -> [PostgresRows] {
        try withReader { try $0.run(statements, interruption: interruption) }
    }
}

extension PostgresReading {
    func externalData(named name: String) throws -> Data {
        try withReader { try layout.external.read(name, $0) }
    }

    private var model: ModelDescription { layout.model }

    func withSnapshot<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try withSnapshot(last: { _ in [] }, nil, body).0
    }

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        let select = try PostgresSelect(request, layout)
        guard select.isComplete else {
            // Evaluation in memory may read more rows, which must be consistent with these.
            let subjects = try withSnapshot { connection in
                try PostgresSnapshot(layout, connection).subjects(request)
            }
            return try deliver(subjects, receive)
        }
        try withReader { connection in
            if connection.streams(select.statement) {
                return try stream(select.statement, connection, request, receive)
            }
            let rows = try connection.run(
                [select.statement], interruption: request.interruption)[0]
            connection.note(rows.count, of: select.statement)
            try deliver(rows, request, receive)
        }
    }

    /// Reads rows while the server is sending them, and delivers them when all have arrived. Until
    /// then, it may be necessary to read them again.
    private func stream(
        _ statement: PostgresStatement, _ connection: PostgresConnection, _ request: RowRequest,
        _ receive: (StoreRow) throws -> Void
    ) throws {
        var rows = StreamedRows(
            layout.tables[request.entity.index], model, readsKeysOnly: request.readsKeysOnly)
        try connection.stream(statement, interruption: request.interruption) { try rows.add($0) }
        try rows.deliver(receive)
    }

    func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?, into writer: RecordWriter
    ) throws -> ReadRow? {
        let table = layout.tables[root.index]
        var parameters = PostgresParameters()
        parameters.append(key)
        let rows = try withReader { try $0.run(table.rowOfKey, parameters) }
        if rows.count == 0 { return nil }
        let entity = table.entity(of: rows, 0, in: model)
        return ReadRow(
            entity: entity,
            placed: try table.read(rows, 0, entity: entity, in: model, into: writer))
    }

    func fetchAhead(
        _ request: RowRequest, _ receive: (StoreRow) throws -> Void
    ) throws -> (any SharedStore)? {
        if request.prefetched.isEmpty {
            try fetch(request, receive)
            return nil
        }
        let select = try PostgresSelect(request, layout)
        guard select.isComplete else {
            // The rows are known only after they were checked, so this takes one more round trip.
            let ((subjects, prefetch), rows) = try withSnapshot(
                last: { $0.1.statements }, request.interruption
            ) {
                let subjects = try PostgresSnapshot(layout, $0).subjects(request)
                let keys = subjects.map(\.expressionKey)
                return (subjects, try PostgresPrefetch(request, of: keys, layout))
            }
            try deliver(subjects, receive)
            return PostgresReadAhead(self, prefetch, rows[...])
        }
        let prefetch = try PostgresPrefetch(request, select, layout)
        let rows = try readTogether(
            [select.statement] + prefetch.statements, request.interruption)
        try deliver(rows[0], request, receive)
        return PostgresReadAhead(self, prefetch, rows[1...], of: rows[0])
    }

    private func deliver(
        _ rows: PostgresRows, _ request: RowRequest, _ receive: (StoreRow) throws -> Void
    ) throws {
        let values = ServerRow(model)
        let row = StoreRow(values: request.readsKeysOnly ? nil : values)
        let table = layout.tables[request.entity.index]
        for index in 0..<rows.count {
            values.move(row, to: index, of: rows, table)
            try receive(row)
        }
    }

    private func deliver(
        _ subjects: [PostgresSubject], _ receive: (StoreRow) throws -> Void
    ) throws {
        let values = MemoryRow(model)
        let row = StoreRow(values: values)
        for subject in subjects {
            values.move(row, to: subject)
            try receive(row)
        }
    }

    func count(_ request: RowRequest) throws -> Int {
        let select = try PostgresSelect(request, layout, .count)
        var request = request
        (request.sort, request.limit, request.offset) = ([], nil, 0)
        func sure(_ connection: PostgresConnection) throws -> Int {
            let rows = try connection.run(
                [select.statement], interruption: request.interruption)[0]
            return Int(rows.integer(0, 0))
        }
        switch select.doubt {
        case .none: return try withReader(sure)
        case .rows:
            return try withSnapshot { connection in
                let others = try PostgresSnapshot(layout, connection)
                    .count(request, isInDoubt: true)
                return try sure(connection) + others
            }
        case .all:
            return try withSnapshot { connection in
                try PostgresSnapshot(layout, connection).count(request, isInDoubt: false)
            }
        }
    }

    func members(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) throws -> [Int64: [LinkSet.Member]]? {
        guard let owner = model.owner(of: relationship) else { return nil }
        let table = layout.tables[relationship.destination]
        let link = try PostgresLink(relationship, of: owner, layout)
        let hasEntity = table.entity.hasEntityColumn
        let names =
            [link.owner, PostgresTable.column(SystemColumn.key)]
            + (hasEntity ? [PostgresTable.column(SystemColumn.entity)] : [])
        let order = [link.owner] + (link.position.map { ["\($0) NULLS LAST"] } ?? []) + [names[1]]
        var parameters = PostgresParameters()
        parameters.appendArray(of: owners)
        let rows = try withReader { connection in
            try connection.run(
                """
                SELECT \(names.joined(separator: ", ")) FROM \(table.source)\(link.join) \
                WHERE \(link.owner) = ANY($1) ORDER BY \(order.joined(separator: ", "))
                """, parameters)
        }
        var members: [Int64: [LinkSet.Member]] = [:]
        for row in 0..<rows.count {
            let entity =
                hasEntity ? model.index(named: rows.text(row, 2)) : relationship.destination
            members[rows.integer(row, 0), default: []].append(
                LinkSet.Member(
                    key: rows.integer(row, 1), entity: entity ?? relationship.destination))
        }
        return members
    }

    func greatestKey(ofRoot root: EntityDescription) throws -> Int64? {
        let rows = try withReader {
            try $0.run("SELECT max(\"_id\") FROM \(layout.table(of: root.entity))")
        }
        return rows.isNull(0, 0) ? nil : rows.integer(0, 0)
    }

    func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan {
        let select = try PostgresSelect(request, layout)
        let results = try query.flatMap { try self.statement(of: request, $0) }
        let statement = results?.statement ?? select.statement
        let rows = try withReader {
            try $0.run("EXPLAIN \(statement.sql)", statement.parameters)
        }
        var steps = (0..<rows.count).map { rows.text($0, 0) }
        let scansTable = Self.scansTable(steps)
        if query != nil, results == nil { steps.append("in memory: the results") }
        steps += try PostgresSelect.decidedInMemory(request, layout).map { "in memory: \($0)" }
        if query == nil, select.sortsInMemory { steps.append("in memory: the order") }
        return FetchPlan(sql: statement.sql, steps: steps, scansTable: scansTable)
    }

    /// Whether the server reads a complete table or index. A scan of an index is complete if the
    /// line below it has no condition.
    private static func scansTable(_ steps: [String]) -> Bool {
        zip(steps, steps.dropFirst() + [""]).contains { step, next in
            let node = step.drop { " ->".contains($0) }.replacing("Parallel ", with: "")
            if node.hasPrefix("Seq Scan ") { return true }
            return ["Index Scan ", "Index Only Scan "].contains { node.hasPrefix($0) }
                && !next.drop { $0 == " " }.hasPrefix("Index Cond: ")
        }
    }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        var request = request
        request.sort = []
        let results = try statement(of: request, query)
        if let results, results.check == nil {
            return try withReader { connection in
                try results.values(
                    connection.run([results.statement], interruption: request.interruption)[0])
            }
        }
        try request.allowInMemoryFiltering(layout, computesResults: true)
        if let results, let check = results.check {
            let rows = try readTogether([check, results.statement], request.interruption)
            if !rows[0].boolean(0, 0) { return try results.values(rows[1]) }
        }
        // Evaluation in memory may read more rows, which must be consistent with these.
        return try withSnapshot { try composed(request, query, $0) }
    }

    /// The statement of results; nil if the server cannot compute them.
    private func statement(
        of request: RowRequest, _ query: TypedResults
    ) throws -> PostgresResults? {
        do {
            return try PostgresResults(request, query, layout)
        } catch is UnsupportedExpression {
            return nil
        }
    }

    /// Results that are computed in memory.
    private func composed(
        _ request: RowRequest, _ query: TypedResults, _ connection: PostgresConnection
    ) throws -> [[Value]] {
        var rows = request
        (rows.limit, rows.offset) = (nil, 0)
        let snapshot = PostgresSnapshot(layout, connection)
        let results = try ResultComposer(query).results(
            of: try snapshot.subjects(rows).map { ($0.expressionKey, $0) },
            limit: request.limit, offset: request.offset)
        if let failure = snapshot.failure { throw failure }
        return results
    }
}

/// A row that the server has returned.
final class ServerRow: RowValues {
    private let model: ModelDescription
    // Safety: set only between the calls that read them; the fetch keeps the values that they
    // reference.
    @exclusivity(unchecked) private var rows: PostgresRows?
    @exclusivity(unchecked) private var table: PostgresTable?
    @exclusivity(unchecked) private var index = 0
    /// The last row's value in the column of the entity, and that entity. The next row mostly has
    /// the same.
    private var last: (name: [UInt8], entity: Int) = ([], 0)

    init(_ model: ModelDescription) {
        self.model = model
    }

    func move(_ row: StoreRow, to index: Int, of rows: PostgresRows, _ table: PostgresTable) {
        if self.rows !== rows { (self.rows, self.table, last.name) = (rows, table, []) }
        self.index = index
        row.move(
            to: rows.integer(index, 0), version: rows.integer(index, 1),
            entity: entity(rows, table))
    }

    private func entity(_ rows: PostgresRows, _ table: PostgresTable) -> Int {
        guard table.entity.hasEntityColumn else { return table.entity.index }
        let name = rows.bytes(index, 2)
        if last.name.isEmpty || !name.elementsEqual(last.name) {
            last = (Array(name), table.entity(of: rows, index, in: model))
        }
        return last.entity
    }

    func record(of row: StoreRow, in writer: RecordWriter) throws -> PlacedRecord? {
        // Safety: this object keeps both.
        guard let rows = rows.map({ uncounted($0) }), let table = table.map({ uncounted($0) })
        else { return nil }
        return try rows.use { rows in
            try table.use { table in
                try table.read(rows, index, entity: row.entity, in: model, into: writer)
            }
        }
    }
}

/// A row for evaluation in memory.
private final class MemoryRow: RowValues {
    private var subject: PostgresSubject?
    private let model: ModelDescription

    init(_ model: ModelDescription) {
        self.model = model
    }

    func move(_ row: StoreRow, to subject: PostgresSubject) {
        self.subject = subject
        row.move(
            to: subject.expressionKey, version: subject.placed.record.version,
            entity: subject.entity.index)
    }

    func record(of row: StoreRow, in writer: RecordWriter) throws -> PlacedRecord? {
        subject.map { writer.copy($0.placed.record, model.entities[row.entity].shape) }
    }
}
