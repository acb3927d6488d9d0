import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumSQL

/// The history of a store on a server during its migration. Older changes are reported under the
/// new names, and each migration is a transaction of the history. If the changes of a migration are
/// not known, the history restarts.
///
/// During the migration, no other program writes to the history. The triggers do not note the
/// changes of the migration itself.
struct PostgresCarriedHistory {
    private let history: PostgresHistory
    private let connection: PostgresConnection
    private let settings: HistorySettings?
    private let hasTriggers: Bool
    private let isCarried: Bool

    /// - Throws: ``PostgresError`` if other programs hold a lock for too long.
    init(
        _ chain: MigrationChain, _ layout: PostgresLayout, _ connection: PostgresConnection
    ) throws {
        self.connection = connection
        history = try PostgresHistory(layout, nil)
        (settings, hasTriggers) = try history.hold(connection)
        isCarried = settings != nil && chain.historyRestartReason == nil
        // Transactions without a number come before the migration.
        if isCarried { _ = try connection.run([history.sql.number]) }
    }

    /// Called before the first step of a migration.
    func begin(_ migration: Migration) throws {
        if settings != nil { _ = try connection.run(history.sql.beginMigration) }
        try run(migration.history?.before)
    }

    /// Called after the last step of a migration.
    func end(_ migration: Migration) throws {
        try run(migration.history?.after)
        guard isCarried else { return }
        _ = try connection.run(
            history.sql.recordMigration(
                author: CarriedHistory.author, context: CarriedHistory.context(of: migration)))
    }

    private func run(_ statements: [String]?) throws {
        guard isCarried else { return }
        for statement in statements ?? [] { _ = try connection.run(statement) }
    }

    /// Called after all migrations.
    func finish() throws {
        guard var settings else { return }
        if !isCarried {
            // A new epoch makes the tokens of earlier changes expire.
            settings.epoch = try UUID.random()
            _ = try connection.run(
                (history.sql.dropStatements + history.sql.createStatements
                    + settings.writeStatements(in: history.metadata)).map { PostgresStatement($0) })
        }
        if hasTriggers { try history.renewTriggers(connection) }
    }
}
