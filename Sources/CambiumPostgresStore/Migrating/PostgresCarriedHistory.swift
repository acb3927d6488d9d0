import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumSQL

/// The history of a store on a server while it is migrated: older changes are reported under the new names,
/// and each migration is a transaction. Where it is unknown what one of them changes, the history starts
/// over.
///
/// Nobody else writes to the history meanwhile. Triggers that note what other programs write note nothing
/// of what the migration itself does.
struct PostgresCarriedHistory {
    private let history: PostgresHistory
    private let connection: PostgresConnection
    private let settings: HistorySettings?
    private let hasTriggers: Bool
    private let isCarried: Bool

    /// - Throws: ``PostgresError`` of a lock that other programs hold for too long.
    init(
        _ chain: MigrationChain, _ layout: PostgresLayout, _ connection: PostgresConnection
    ) throws {
        self.connection = connection
        history = try PostgresHistory(layout, nil)
        (settings, hasTriggers) = try history.hold(connection)
        isCarried = settings != nil && chain.historyObstacle == nil
        // What others have written comes before the migration.
        if isCarried { _ = try connection.run([history.sql.number]) }
    }

    /// Before the first step of a migration.
    func begin(_ migration: Migration) throws {
        if settings != nil { _ = try connection.run(history.sql.beginMigration) }
        try run(migration.history?.before)
    }

    /// After its last step.
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

    /// After all migrations.
    func finish() throws {
        guard var settings else { return }
        if !isCarried {
            // Who asks for earlier changes learns that they are expired.
            settings.epoch = try UUID.random()
            _ = try connection.run(
                (history.sql.dropStatements + history.sql.createStatements
                    + settings.writeStatements(in: history.metadata)).map { PostgresStatement($0) })
        }
        if hasTriggers { try history.renewTriggers(connection) }
    }
}
