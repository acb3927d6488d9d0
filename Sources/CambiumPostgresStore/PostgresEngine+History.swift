import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL

extension PostgresEngine {
    func fetchHistory(
        _ request: HistoryRequest, after token: inout HistoryToken
    ) throws -> [HistoryTransaction]? {
        let seen = token.positions[identifier.uuid]
        let found = try withHistory { try $0.transactions(request, after: seen) }
        guard let found else {
            if seen != nil { throw StoreError.noHistory }
            return nil
        }
        token.advance(identifier.uuid, to: found.end)
        return found.transactions
    }

    func historyPosition() throws -> HistoryToken.Position? {
        try withHistory(\.end)
    }

    /// Policies for rows do not protect the history, which contains all rows.
    private func requireWholeStore() throws {
        guard hasSettings else { return }
        throw StoreError.invalidRequest(
            "The history has all rows, including those that the transaction settings hide.",
            remedy: "Ask for it in a context without transactionSettings.")
    }

    func deleteHistory(before position: HistoryToken.Position) throws -> Bool {
        try purge { reader in
            guard position.epoch == reader.epoch else {
                throw StoreError.historyExpired(identifier.uuid)
            }
            return position.change - 1
        }
    }

    func deleteHistory(before date: Date) throws -> Bool {
        try purge { reader in
            let rows = try reader.connection.run([history.sql.last(before: date)])[0]
            return rows.count == 0 ? reader.bounds.last : rows.integer(0, 0)
        }
    }

    /// - Parameter last: The number of the last transaction to be removed.
    private func purge(through last: (PostgresHistoryReader) throws -> Int64) throws -> Bool {
        let number = try withHistory(last)
        guard let number else { return false }
        guard !isReadOnly else { throw StoreError.readOnly }
        try pool.withConnection { connection in
            try history.purge(connection) { history.sql.remove(through: number, atMost: $0) }
        }
        return true
    }

    /// Reads the history, after everything that was committed has its number.
    ///
    /// If the store is read-only, some simultaneous saves may be without a number. They are visible
    /// after the next save, or when another reader numbers them.
    ///
    /// - Returns: Nil if the store has no history.
    private func withHistory<Result>(
        _ body: (PostgresHistoryReader) throws -> Result
    ) throws -> Result? {
        try requireWholeStore()
        switch try readHistory(body, isNumbered: isReadOnly) {
        case .found(let result): return result
        case .none: return nil
        case .unnumbered: break
        }
        try pool.withConnection { connection in
            try connection.transaction {
                // Another process may have turned the history off.
                let settings = try connection.run([history.sql.settings])[0]
                guard HistorySettings(settings) != nil else { return }
                _ = try connection.run([history.sql.number])
            }
        }
        // A transaction that was committed meanwhile may be numbered later.
        guard case .found(let result) = try readHistory(body, isNumbered: true) else { return nil }
        return result
    }

    private enum Reading<Result> {
        case found(Result)
        /// The store has no history.
        case none
        case unnumbered
    }

    /// - Parameter isNumbered: Whether it does not matter if transactions have no number yet.
    private func readHistory<Result>(
        _ body: (PostgresHistoryReader) throws -> Result, isNumbered: Bool
    ) throws -> Reading<Result> {
        try withSnapshot { connection in
            guard let reader = try history.reader(identifier, version, connection) else {
                return .none
            }
            guard reader.isWhole || isNumbered else { return .unnumbered }
            return .found(try body(reader))
        }
    }
}
