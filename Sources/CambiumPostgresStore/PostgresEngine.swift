import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import Synchronization

/// A store in a schema of a database on a server.
final class PostgresEngine: StoreEngine {
    let identifier: StoreIdentifier
    let isReadOnly: Bool
    let layout: PostgresLayout
    let pool: PostgresPool
    /// Notes of the program that the next save is to write.
    let notesToWrite = Mutex<[String: String]?>(nil)

    var model: ModelDescription { layout.model }

    init(
        _ pool: PostgresPool, _ layout: PostgresLayout, identifier: StoreIdentifier,
        isReadOnly: Bool
    ) {
        self.pool = pool
        self.layout = layout
        self.identifier = identifier
        self.isReadOnly = isReadOnly
    }

    var isInUseByCaller: Bool { pool.isUsedByCaller }

    func close() { pool.close() }

    func externalData(named name: String) throws -> Data {
        throw StoreError(
            code: .missingFile, message: "A store on a server has no files.",
            remedy: "Set the value again, so that it is kept in its row.")
    }

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> {
        guard !isReadOnly else { throw StoreError.readOnly }
        let name = model.entities[root].name
        var parameters = PostgresParameters()
        parameters.append(.text(name), as: .text)
        parameters.append(.integer(Int64(count)), as: .bigint)
        // In a transaction of its own: nobody else waits until an operation ends.
        let rows = try pool.withConnection { connection in
            try connection.run(
                """
                UPDATE \(layout.keys) SET "next" = "next" + $2 WHERE "entity" = $1 \
                RETURNING "next" - $2
                """, parameters)
        }
        guard rows.count == 1 else {
            throw StoreError(
                code: .corrupt,
                message: "The store has no keys for \(name), because another program has changed "
                    + "its table _keys.",
                remedy: "Restore a backup.")
        }
        let first = rows.integer(0, 0)
        return first..<first + Int64(count)
    }

    // MARK: Notes

    func notes() throws -> [String: String] {
        if let waiting = notesToWrite.withLock({ $0 }) { return waiting }
        return try pool.withConnection { MetadataSQL.notes(in: try metadataRows(of: $0)) }
    }

    func setNotes(_ notes: [String: String]) {
        notesToWrite.withLock { $0 = notes }
    }

    func metadataRows(of connection: PostgresConnection) throws -> [[StoredValue]] {
        let rows = try connection.run("SELECT \"name\", \"value\" FROM \(layout.metadata)")
        return (0..<rows.count).map { [.text(rows.text($0, 0)), .text(rows.text($0, 1))] }
    }

    /// What replaces the notes.
    func statements(for notes: [String: String]) -> [PostgresStatement] {
        [PostgresStatement("DELETE FROM \(layout.metadata) WHERE \"name\" LIKE 'user.%'")]
            + notes.keys.sorted().map { name in
                var parameters = PostgresParameters()
                parameters.append(MetadataSQL.noteName(name), as: .text)
                parameters.append(.text(notes[name] ?? ""), as: .text)
                return PostgresStatement(
                    "INSERT INTO \(layout.metadata) (\"name\", \"value\") VALUES ($1, $2)",
                    parameters)
            }
    }

    func saveWithoutChanges() throws {
        guard let notes = notesToWrite.withLock({ $0 }) else { return }
        guard !isReadOnly else { throw StoreError.readOnly }
        try pool.withWriter { connection in
            try connection.transaction { _ = try connection.run(statements(for: notes)) }
        }
        didWrite(notes)
    }

    /// Notes that were written wait no more, unless others were set meanwhile.
    func didWrite(_ notes: [String: String]) {
        notesToWrite.withLock { waiting in
            if waiting == notes { waiting = nil }
        }
    }

    // MARK: Reading

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        let select = try PostgresSelect(request, layout)
        try pool.withConnection { connection in
            if select.isComplete {
                let rows = try connection.run(
                    [select.statement], interruption: request.interruption)[0]
                return try deliver(rows, request, receive)
            }
            // What is worked out in memory may read more rows, which must fit those.
            let subjects = try connection.transaction(isReadOnly: true) {
                try PostgresSnapshot(layout, connection).subjects(request)
            }
            try deliver(subjects, receive)
        }
    }

    private func deliver(
        _ rows: PostgresRows, _ request: RowRequest, _ receive: (StoreRow) throws -> Void
    ) throws {
        let table = layout.tables[request.entity.index]
        let values = ServerRow(rows, table, model)
        let row = StoreRow(values: request.readsKeysOnly ? nil : values)
        for index in 0..<rows.count {
            values.move(row, to: index)
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
        let select = try PostgresSelect(request, layout, counts: true)
        return try pool.withConnection { connection in
            guard select.filtersInMemory else {
                let rows = try connection.run(
                    [select.statement], interruption: request.interruption)[0]
                return Int(rows.integer(0, 0))
            }
            var request = request
            (request.sort, request.limit, request.offset) = ([], nil, 0)
            return try connection.transaction(isReadOnly: true) {
                try PostgresSnapshot(layout, connection).subjects(request).count
            }
        }
    }

    func members(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) throws -> [Int64: [LinkSet.Member]]? {
        guard
            let owner = model.entities.first(where: { entity in
                entity.relationships.contains { $0.identity == relationship.identity }
            })
        else { return nil }
        let table = layout.tables[relationship.destination]
        let link = try PostgresLink(relationship, of: owner, layout)
        let hasEntity = table.entity.hasEntityColumn
        let names =
            [link.owner, PostgresTable.column(SystemColumn.key)]
            + (hasEntity ? [PostgresTable.column(SystemColumn.entity)] : [])
        let order = [link.owner] + (link.position.map { ["\($0) NULLS LAST"] } ?? []) + [names[1]]
        var parameters = PostgresParameters()
        parameters.appendArray(of: owners)
        let rows = try pool.withConnection { connection in
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
        let rows = try pool.withConnection {
            try $0.run("SELECT max(\"_id\") FROM \(layout.table(of: root.entity))")
        }
        return rows.isNull(0, 0) ? nil : rows.integer(0, 0)
    }

    func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan {
        let select = try PostgresSelect(request, layout)
        let statement = select.statement
        let rows = try pool.withConnection {
            try $0.run("EXPLAIN \(statement.sql)", statement.parameters)
        }
        var steps = (0..<rows.count).map { rows.text($0, 0) }
        if select.filtersInMemory { steps.append("in memory: the condition, row by row") }
        if select.sortsInMemory { steps.append("in memory: the order") }
        if query != nil { steps.append("in memory: the results") }
        return FetchPlan(sql: statement.sql, steps: steps)
    }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        var rows = request
        (rows.limit, rows.offset) = (nil, 0)
        return try pool.withConnection { connection in
            try connection.transaction(isReadOnly: true) {
                let snapshot = PostgresSnapshot(layout, connection)
                let results = try ResultComposer(query).results(
                    of: try snapshot.subjects(rows).map { ($0.expressionKey, $0) },
                    limit: request.limit, offset: request.offset)
                if let failure = snapshot.failure { throw failure }
                return results
            }
        }
    }
}

/// A row that the server has returned.
private final class ServerRow: RowValues {
    private let rows: PostgresRows
    private let table: PostgresTable
    private let model: ModelDescription
    private var index = 0

    init(_ rows: PostgresRows, _ table: PostgresTable, _ model: ModelDescription) {
        self.rows = rows
        self.table = table
        self.model = model
    }

    func move(_ row: StoreRow, to index: Int) {
        self.index = index
        row.move(
            to: rows.integer(index, 0), version: rows.integer(index, 1),
            entity: table.entity(of: rows, index, in: model))
    }

    func record(of row: StoreRow, in writer: RecordWriter) throws -> PlacedRecord? {
        try table.read(rows, index, entity: row.entity, in: model, into: writer)
    }
}

/// A row that was looked at in memory.
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
