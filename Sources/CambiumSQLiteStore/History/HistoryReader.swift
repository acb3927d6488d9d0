import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Reads a store's history, inside a transaction that the caller has begun.
struct HistoryReader {
    let connection: Connection
    let model: ModelDescription
    let store: StoreIdentifier
    /// The identity of the history. If the history starts again, it changes.
    let epoch: UUID
    /// Whether changes include their values, if the history has them.
    var readsValues = true

    /// The begin and the end of a history, as numbers of changes.
    struct Bounds {
        /// The last change.
        let last: Int64
        /// The last change that is in a transaction. Later changes were made by programs without
        /// Cambium.
        let lastRecorded: Int64
        /// The number of the last transaction.
        let lastNumber: Int64
        /// The last change that was removed.
        let floor: Int64
    }

    func bounds() throws -> Bounds {
        let row = try connection.rows(HistorySQL.bounds).first ?? []
        let numbers = row.map { value -> Int64 in
            if case .integer(let number) = value { number } else { 0 }
        }
        guard numbers.count == 4 else {
            return Bounds(last: 0, lastRecorded: 0, lastNumber: 0, floor: 0)
        }
        return Bounds(
            last: numbers[0], lastRecorded: numbers[1], lastNumber: numbers[2], floor: numbers[3])
    }

    /// Returns the transactions that match a request.
    ///
    /// - Parameter position: The last change that was read; updated to the last one that was
    ///   examined.
    func transactions(
        _ request: HistoryRequest, after position: inout Int64, _ bounds: Bounds
    ) throws -> [HistoryTransaction] {
        var found: [HistoryTransaction] = []
        let limit = request.limit ?? .max
        // One transaction at a time: the number that reaches the limit is only known after their
        // changes were read.
        let headers = try connection.statement(HistorySQL.transactionsAfter)
        defer { headers.reset() }
        try headers.bind([.integer(position)])
        while found.count < limit, try headers.step() {
            guard let header = Self.header(headers) else { continue }
            if let transaction = try transaction(header, request, after: &position) {
                found.append(transaction)
            }
        }
        if found.count < limit, bounds.last > bounds.lastRecorded, bounds.last > position {
            let unrecorded = Header(
                last: bounds.last, first: bounds.lastRecorded + 1,
                number: bounds.lastNumber &+ 1, date: .now)
            if let transaction = try transaction(unrecorded, request, after: &position) {
                found.append(transaction)
            }
        }
        return found
    }

    /// - Returns: Nil if the request does not include the transaction.
    private func transaction(
        _ header: Header, _ request: HistoryRequest, after position: inout Int64
    ) throws -> HistoryTransaction? {
        let start = max(position + 1, header.first)
        position = header.last
        guard
            request.wants(author: header.author, contextName: header.contextName, date: header.date)
        else { return nil }
        var transaction = transaction(header)
        if request.includesChanges {
            transaction.changes = try changes(from: start, to: header.last, request)
            if transaction.changes.isEmpty, request.selectsChanges { return nil }
        }
        return transaction
    }

    // MARK: Transactions

    /// The data of a transaction itself.
    private struct Header {
        let last: Int64
        let first: Int64
        let number: Int64
        let date: Date
        var author: String?
        var contextName: String?
        var process: String?
        var processIdentifier: Int?
        var writer: String?
    }

    private static func header(_ statement: Statement) -> Header? {
        let row = (0..<statement.columnCount).map(statement.value(at:))
        guard row.count == 9, case .integer(let last) = row[0], case .integer(let first) = row[1],
            case .integer(let number) = row[2], case .real(let date) = row[3]
        else { return nil }
        func text(_ value: StoredValue) -> String? {
            if case .text(let text) = value { text } else { nil }
        }
        var process: Int?
        if case .integer(let identifier) = row[7] { process = Int(identifier) }
        return Header(
            last: last, first: first, number: number,
            date: Date(timeIntervalSinceReferenceDate: date), author: text(row[4]),
            contextName: text(row[5]), process: text(row[6]), processIdentifier: process,
            writer: text(row[8]))
    }

    private func transaction(_ header: Header) -> HistoryTransaction {
        HistoryTransaction(
            number: header.number, date: header.date, author: header.author,
            contextName: header.contextName, processName: header.process,
            processIdentifier: header.processIdentifier, storeIdentifier: store.uuid,
            token: HistoryToken([store.uuid: .init(epoch: epoch, change: header.last)]),
            changes: [], writer: header.writer)
    }

    // MARK: Changes

    private func changes(
        from first: Int64, to last: Int64, _ request: HistoryRequest
    ) throws -> [HistoryChange] {
        var gathered = GatheredChanges(request, model, store)
        let statement = try connection.statement(HistorySQL.changesBetween)
        defer { statement.reset() }
        try statement.bind([.integer(first), .integer(last)])
        let values = try connection.statement(HistorySQL.valuesBetween)
        while try statement.step() {
            try gathered.add(
                kind: statement.integer(at: 1), entity: statement.text(at: 2),
                key: statement.integer(at: 3), properties: statement.text(at: 4)
            ) {
                try readsValues ? Self.values(of: statement.integer(at: 0), values) : []
            }
        }
        return gathered.changes
    }

    /// Returns the values of one change.
    private static func values(
        of change: Int64, _ statement: Statement
    ) throws -> [FoldedChange.ColumnValue] {
        var values: [FoldedChange.ColumnValue] = []
        defer { statement.reset() }
        try statement.bind(.integer(change), at: 1)
        try statement.bind(.integer(change), at: 2)
        while try statement.step() {
            values.append(
                .init(
                    column: statement.text(at: 1), old: statement.value(at: 2),
                    new: statement.value(at: 3)))
        }
        return values
    }
}
