import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

// What is asked of the history of one store. Another process may turn it on and off, and then it is
// another history: whether there is one, and which, is read in the transaction that asks.
extension SQLiteEngine {
    /// What reads the history that the store has now, in a transaction of SQLite that the caller
    /// has begun.
    ///
    /// - Returns: Nil where it has none.
    func historyReader(_ connection: Connection) throws -> HistoryReader? {
        try HistorySettings(of: connection).map { historyReader(connection, $0.epoch) }
    }

    /// What reads a history that is known to be there.
    func historyReader(_ connection: Connection, _ epoch: UUID) -> HistoryReader {
        HistoryReader(connection: connection, model: model, store: identifier, epoch: epoch)
    }

    func fetchHistory(
        _ request: HistoryRequest, after token: inout HistoryToken
    ) throws -> [HistoryTransaction]? {
        let identifier = identifier.uuid
        let seen = token.positions[identifier]
        typealias Part = (transactions: [HistoryTransaction], end: HistoryToken.Position)
        let found = try withReader { connection in
            try connection.transaction(.deferred) { () -> Part? in
                guard let reader = try historyReader(connection) else {
                    if seen != nil { throw StoreError.noHistory }
                    return nil
                }
                let bounds = try reader.bounds()
                if let seen {
                    guard seen.epoch == reader.epoch, seen.change >= bounds.floor,
                        seen.change <= bounds.last
                    else { throw StoreError.historyExpired(identifier) }
                }
                var position = max(seen?.change ?? 0, bounds.floor)
                let found = try reader.transactions(request, after: &position, bounds)
                return (found, .init(epoch: reader.epoch, change: position))
            }
        }
        guard let found else { return nil }
        token.advance(identifier, to: found.end)
        return found.transactions
    }

    func historyPosition() throws -> HistoryToken.Position? {
        try withReader { connection in
            try connection.transaction(.deferred) {
                try historyReader(connection).map { reader in
                    .init(epoch: reader.epoch, change: try reader.bounds().last)
                }
            }
        }
    }

    func deleteHistory(before position: HistoryToken.Position) throws -> Bool {
        try purge { reader in
            guard position.epoch == reader.epoch else {
                throw StoreError.historyExpired(identifier.uuid)
            }
            return try StoreHistory.last(before: position.change, reader.connection)
        }
    }

    func deleteHistory(before date: Date) throws -> Bool {
        try purge { try StoreHistory.last(before: date, $0.connection) }
    }

    private func purge(through last: (HistoryReader) throws -> Int64) throws -> Bool {
        guard !isReadOnly else {
            if try historyPosition() == nil { return false }
            throw StoreError.readOnly
        }
        return try writer.withLock { connection in
            let isThere = try connection.transaction {
                guard let reader = try historyReader(connection) else { return false }
                try history.begin(connection)
                try StoreHistory.purge(through: last(reader), connection)
                return true
            }
            checkpointIfNeeded(connection)
            return isThere
        }
    }

    /// Runs what a transaction of SQLite writes; the history names the author.
    func recording<Result>(
        _ author: TransactionAuthor, on connection: Connection, _ body: () throws -> Result
    ) throws -> Result {
        try history.begin(connection)
        let result = try body()
        try history.end(connection, by: author)
        return result
    }
}
