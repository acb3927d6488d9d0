import CambiumSQL
import CambiumSQLite

/// What becomes of the history of a store that is migrated.
public enum HistoryFate: Sendable, Hashable {
    /// What was changed before is told under the new names, and each migration is a transaction.
    case goesOn
    /// Nobody can say what the migration changes: tokens of before are expired.
    case beginsAnew(because: String)

    /// The same in words.
    package var words: String {
        switch self {
        case .goesOn: "goes on, under the new names"
        case .beginsAnew(let reason): "begins anew, tokens of before expire: \(reason)"
        }
    }
}

extension MigrationRunner {
    /// What becomes of a store's history on a way; nil where it has none, or where nothing is migrated.
    func historyFate(
        on chain: MigrationChain?, in connection: Connection
    ) throws(SQLiteError) -> HistoryFate? {
        guard let chain, !chain.migrations.isEmpty,
            HistorySettings(rows: try connection.rows(HistorySettings.query)) != nil
        else { return nil }
        return chain.historyObstacle.map { .beginsAnew(because: $0) } ?? .goesOn
    }
}
