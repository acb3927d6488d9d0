import CambiumSQL
import CambiumSQLite

extension SQLiteStore {
    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        try withReader { connection in
            if case .keys(let keys) = request.selection {
                return try fetch(keys, request, connection, receive)
            }
            let select = selects[request.entity.index]
            let (sql, parameters) = try select.rows(
                Self.selection(request.selection),
                includesSubentities: request.includesSubentities, sort: request.sort,
                limit: request.limit, offset: request.offset)
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            try statement.bind(Self.leading(request.selection) + parameters)
            try deliver(statement, request.entity, receive)
        }
    }

    func count(_ request: RowRequest) throws -> Int {
        try withReader { connection in
            let (sql, parameters) = try selects[request.entity.index].count(
                Self.selection(request.selection),
                includesSubentities: request.includesSubentities)
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            try statement.bind(Self.leading(request.selection) + parameters)
            return try statement.step() ? Int(statement.integer(at: 0)) : 0
        }
    }

    private static func selection(_ selection: RowRequest.Selection) -> SelectSQL.Selection {
        switch selection {
        case .matching(let condition, let arguments): .matching(condition, arguments)
        case .keys(let keys): keys.count == 1 ? .key : .pendingKeys
        case .referring(let column, _): .referring(column: column)
        case .linked(let table, let source, let destination, _):
            .linked(table: table, sourceColumn: source, destinationColumn: destination)
        }
    }

    /// The parameter that comes before all others.
    private static func leading(_ selection: RowRequest.Selection) -> [StoredValue] {
        switch selection {
        case .referring(_, let key), .linked(_, _, _, let key): [.integer(key)]
        case .matching, .keys: []
        }
    }

    private func fetch(
        _ keys: [Int64], _ request: RowRequest, _ connection: Connection,
        _ receive: (StoreRow) throws -> Void
    ) throws {
        if keys.count == 1 {
            let statement = try connection.statement(keySelect(request.entity.index))
            defer { statement.reset() }
            try statement.bind(keys[0], at: 1)
            return try deliver(statement, request.entity, receive)
        }
        let shape = RecordShape(kinds: [])
        let writer = RecordWriter()
        // In the order of the keys: neighbouring rows lie on the same pages.
        let pending = keys.sorted().map { key in
            let placed = writer.makeRecord(shape)
            placed.record.key = key
            return placed
        }
        let (sql, _) = try selects[request.entity.index].rows(.pendingKeys)
        var failure: (any Error)?
        try withExtendedLifetime(pending) {
            try connection.queryPending(sql, over: pending.map(\.record), shape: shape) {
                statement throws(SQLiteError) in
                guard failure == nil else { return }
                do {
                    try receive(row(statement, request.entity, source(statement, request.entity)))
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
    }

    private func deliver(
        _ statement: Statement, _ entity: EntityDescription, _ receive: (StoreRow) throws -> Void
    ) throws {
        let source = source(statement, entity)
        while try statement.step() {
            try receive(row(statement, entity, source))
        }
    }

    private func source(_ statement: Statement, _ entity: EntityDescription) -> SQLiteRows {
        SQLiteRows(statement, selects[entity.index], model)
    }

    private func row(
        _ statement: Statement, _ entity: EntityDescription, _ source: SQLiteRows
    ) -> StoreRow {
        StoreRow(
            key: statement.integer(at: 0), version: statement.integer(at: 1),
            entity: entity.hasEntityColumn
                ? model[statement.text(at: 2)]?.index ?? entity.index : entity.index,
            source: source)
    }
}

/// The rows of one running statement.
private final class SQLiteRows: RowSource {
    private let statement: Statement
    private let select: SelectSQL
    private let model: RuntimeModel
    private var readers: [Int: RowReader] = [:]
    private var last: (entity: Int, reader: RowReader)?

    init(_ statement: Statement, _ select: SelectSQL, _ model: RuntimeModel) {
        self.statement = statement
        self.select = select
        self.model = model
    }

    func readRow(
        key: Int64, version: Int64, entity: Int, into writer: RecordWriter
    ) throws -> PlacedRecord {
        try reader(of: entity).read(statement, key: key, version: version, into: writer)
    }

    private func reader(of entity: Int) -> RowReader {
        if let last, last.entity == entity { return last.reader }
        let reader = readers[entity] ?? makeReader(of: model.entities[entity])
        readers[entity] = reader
        last = (entity, reader)
        return reader
    }

    private func makeReader(of entity: EntityDescription) -> RowReader {
        RowReader(
            shape: entity.shape,
            columns: entity.layout.slots.map { slot in
                slot.column.flatMap { select.columns.firstIndex(of: $0) }
                    .map { select.firstColumn + $0 }
            },
            columnNames: entity.layout.slots.map { "\(entity.name).\($0.property)" })
    }
}
