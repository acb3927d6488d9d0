import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The history of a store while it is migrated: older changes are told under the new names, and each
/// migration is a transaction. Where nobody can say what one of them changes, the history begins anew.
package struct CarriedHistory {
    /// The author of the transactions.
    package static let author = "migration"

    private let connection: Connection
    private let isCarried: Bool

    /// - Parameter isThere: Whether the store has a history.
    init(
        in connection: Connection, _ chain: MigrationChain, isThere: Bool
    ) throws(SQLiteError) {
        self.connection = connection
        isCarried = isThere && chain.historyObstacle == nil
        if isCarried { try record() }
        if isThere, !isCarried { try connection.expireHistory() }
    }

    /// Before the first step of a migration.
    func begin(_ migration: Migration) throws(SQLiteError) {
        guard isCarried else { return }
        for statement in migration.history?.before ?? [] { try connection.execute(statement) }
    }

    /// After its last step.
    func end(_ migration: Migration) throws(SQLiteError) {
        guard isCarried, let history = migration.history else { return }
        for statement in history.after { try connection.execute(statement) }
        try record(
            author: Self.author,
            context: "from version \(migration.from) to version \(migration.to)")
    }

    /// Makes a transaction of what is in none yet.
    private func record(author: String? = nil, context: String? = nil) throws(SQLiteError) {
        let texts = [author, context].map { $0.map { StoredValue.text($0) } ?? .null }
        _ = try connection.rows(
            HistorySQL.record,
            [.real(Date.now.timeIntervalSinceReferenceDate)] + texts + [.null, .null, .null])
    }
}

extension Connection {
    /// Removes all of the history, so that whoever asks what came after a moment before is told
    /// that nobody knows. Inside of a transaction.
    package func expireHistory() throws(SQLiteError) {
        // What no transaction has yet is in none that stays.
        _ = try rows(HistorySQL.record, [.real(0)] + Array(repeating: .null, count: 5))
        guard let last = try rows(HistorySQL.bounds).first?.first?.integer, last > 0 else { return }
        for statement in HistorySQL.purge { _ = try rows(statement, [.integer(last)]) }
    }
}
