import CambiumSQL
import CambiumSQLite

// What is asked of the history of one store.
extension SQLiteStore {
    /// The transactions that a request asks for.
    ///
    /// - Parameter token: What has been seen; afterwards what has been looked at.
    /// - Throws: ``StoreError`` with `historyExpired` where nobody knows all that came after the
    ///   token.
    func fetchHistory(
        _ request: HistoryRequest, after token: inout HistoryToken, _ history: StoreHistory
    ) throws -> [HistoryTransaction] {
        let identifier = identifier.uuid
        let seen = token.positions[identifier]
        let epoch = history.settings.epoch
        let (found, last) = try withReader { connection in
            try connection.transaction(.deferred) {
                let reader = historyReader(connection, epoch)
                let bounds = try reader.bounds()
                if let seen {
                    guard seen.epoch == epoch, seen.change >= bounds.floor,
                        seen.change <= bounds.last
                    else { throw StoreError.historyExpired(identifier) }
                }
                var position = max(seen?.change ?? 0, bounds.floor)
                let found = try reader.transactions(request, after: &position, bounds)
                return (found, position)
            }
        }
        token.advance(identifier, to: .init(epoch: epoch, change: last))
        return found
    }

    /// The end of the history.
    func historyPosition(_ history: StoreHistory) throws -> HistoryToken.Position {
        let last = try withReader { connection in
            try historyReader(connection, history.settings.epoch).bounds().last
        }
        return .init(epoch: history.settings.epoch, change: last)
    }

    /// Removes the transactions before the one that ends at a position.
    ///
    /// - Throws: ``StoreError`` with `historyExpired` where the position is in no such history.
    func deleteHistory(
        before position: HistoryToken.Position, _ history: StoreHistory
    ) throws {
        guard position.epoch == history.settings.epoch else {
            throw StoreError.historyExpired(identifier.uuid)
        }
        try purge(history) { connection in
            guard
                case .integer(let last)? =
                    try connection.rows(
                        HistorySQL.lastBeforeChange, [.integer(position.change)]
                    ).first?.first
            else { return 0 }
            return last
        }
    }

    /// Removes the transactions before the first one of a date or later.
    func deleteHistory(before date: Date, _ history: StoreHistory) throws {
        try purge(history) { try StoreHistory.last(before: date, $0) }
    }

    private func purge(
        _ history: StoreHistory, through last: (Connection) throws -> Int64
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        try writer.withLock { connection in
            try connection.transaction {
                try history.begin(connection)
                try StoreHistory.purge(through: last(connection), connection)
            }
            checkpointIfNeeded(connection)
        }
    }

    func historyReader(_ connection: Connection, _ epoch: UUID) -> HistoryReader {
        HistoryReader(connection: connection, model: model, store: identifier, epoch: epoch)
    }
}

extension StoreError {
    static func historyExpired(_ store: UUID) -> StoreError {
        StoreError(
            code: .historyExpired,
            message: "The history of the store \(store.uuidString) does not have all that came "
                + "after the token: it was removed, or begun anew. Read the objects themselves, "
                + "and go on from currentHistoryToken().")
    }

    static let noHistory = StoreError(
        code: .noHistory,
        message: "No store keeps a history. Set StoreOptions.history where it is opened.")
}
