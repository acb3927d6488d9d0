import CambiumSQL
import CambiumSQLite

extension SQLiteStore {
    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        try withReader { connection in
            switch request.selection {
            case .key(let key): return try fetch(key, request, connection, receive)
            case .keys(let keys): return try fetch(keys, request, connection, receive)
            case .matching, .referring, .linked: break
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
        case .key: .key
        case .keys: .pendingKeys
        case .referring(let column, _): .referring(column: column)
        case .linked(let table, let source, let destination, _):
            .linked(table: table, sourceColumn: source, destinationColumn: destination)
        }
    }

    /// The parameter that comes before all others.
    private static func leading(_ selection: RowRequest.Selection) -> [StoredValue] {
        switch selection {
        case .referring(_, let key), .linked(_, _, _, let key): [.integer(key)]
        case .key(let key): [.integer(key)]
        case .matching, .keys: []
        }
    }

    private func fetch(
        _ key: Int64, _ request: RowRequest, _ connection: Connection,
        _ receive: (StoreRow) throws -> Void
    ) throws {
        let statement = try connection.statement(keySelect(request.entity.index))
        defer { statement.reset() }
        try statement.bind(key, at: 1)
        guard try statement.step() else { return }
        try receive(row(statement, request.entity, source(statement, request.entity)))
    }

    private func fetch(
        _ keys: [Int64], _ request: RowRequest, _ connection: Connection,
        _ receive: (StoreRow) throws -> Void
    ) throws {
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
        SQLiteRows(statement, readers: rowReaders[entity.index])
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
    private let readers: [RowReader?]

    init(_ statement: Statement, readers: [RowReader?]) {
        self.statement = statement
        self.readers = readers
    }

    func readRow(
        key: Int64, version: Int64, entity: Int, into writer: RecordWriter
    ) throws -> PlacedRecord {
        guard let reader = readers[entity] else {
            throw StoreError(
                code: .corrupt,
                message: "Row \(key) is of an entity that the request does not ask for. "
                    + "Another program has changed the store; restore a backup.")
        }
        return try reader.read(statement, key: key, version: version, into: writer)
    }
}
