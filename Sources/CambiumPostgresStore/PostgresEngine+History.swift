import CambiumEngine
import CambiumModel
import CambiumRecords

extension PostgresEngine {
    func fetchHistory(
        _ request: HistoryRequest, after token: inout HistoryToken
    ) throws -> [HistoryTransaction]? {
        let seen = token.positions[identifier.uuid]
        let found = try withSnapshot {
            try history.reader(identifier, $0)?.transactions(request, after: seen)
        }
        guard let found else {
            if seen != nil { throw StoreError.noHistory }
            return nil
        }
        token.advance(identifier.uuid, to: found.end)
        return found.transactions
    }

    func historyPosition() throws -> HistoryToken.Position? {
        try withSnapshot { try history.reader(identifier, $0)?.end }
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
        let number = try withSnapshot { try history.reader(identifier, $0).map(last) }
        guard let number else { return false }
        guard !isReadOnly else { throw StoreError.readOnly }
        try pool.withConnection { connection in
            try history.purge(connection) { history.sql.remove(through: number, atMost: $0) }
        }
        return true
    }
}
