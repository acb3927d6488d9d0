import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Makes a store of an earlier version one of the program's, in the transaction of whoever opens it:
/// whatever happens, the store is exactly old or exactly new.
struct PostgresMigrator {
    let derivations: PostgresDerivations
    private var layout: PostgresLayout { derivations.layout }
    let chain: MigrationChain
    let connection: PostgresConnection
    /// Whether tables from which data is taken are copied first.
    let makesBackup: Bool

    /// Runs all steps. What keys lead to is checked once, at the end of all of them.
    ///
    /// - Parameter notify: Called before each statement, and with the number of all.
    /// - Returns: The schema of the copies that were made of tables.
    func run(
        _ notify: (_ step: String, _ number: Int, _ count: Int) throws -> Void
    ) throws -> String? {
        let history = try carriedHistory
        let backup =
            try makesBackup && chain.needsBackup
            ? PostgresBackup(before: chain, layout, connection) : nil
        _ = try connection.run(PostgresSchema.searchPath(layout.schema))
        let count = chain.migrations.flatMap(\.steps).reduce(0) { $0 + $1.statements.count }
        var number = 0
        var waiting: [(name: String, statement: MigrationStatement, step: String)] = []
        for migration in chain.migrations {
            try history.begin(migration)
            for step in migration.steps {
                for statement in step.statements {
                    try notify(step.summary, number, count)
                    number += 1
                    switch statement.operation {
                    case .addForeignKey(let name, _):
                        waiting.append((name, statement, step.summary))
                        continue
                    case .dropForeignKey(let name, _):
                        if let index = waiting.firstIndex(where: { $0.name == name }) {
                            waiting.remove(at: index)
                            continue
                        }
                    default: break
                    }
                    try run(statement, of: step.summary)
                }
            }
            try history.end(migration)
        }
        for key in waiting { try run(key.statement, of: key.step) }
        try ComputedValues(derivations: derivations, now: .now).updateAll(connection) {
            $0.updateOfAll(layout).map { PostgresName.shortened($0.sql) }
        }
        try removeUnreferencedValues(keeping: backup)
        try history.finish()
        return backup?.name
    }

    private var carriedHistory: PostgresCarriedHistory {
        get throws {
            do {
                return try PostgresCarriedHistory(chain, layout, connection)
            } catch let error as PostgresError where error.state == PostgresError.lockTimeout {
                throw isBusy(error)
            }
        }
    }

    private func run(_ statement: MigrationStatement, of step: String) throws {
        do {
            _ = try connection.run(statement.sql)
        } catch {
            throw refusal(of: step, statement, error)
        }
    }

    // MARK: Refusals

    private func isBusy(_ error: PostgresError) -> StoreError {
        StoreError(
            code: .busy,
            message: "The store cannot be migrated, because others use its tables.",
            remedy: "Try again when they have ended, or set a longer "
                + "StoreOptions.busyTimeout.", underlying: error)
    }

    /// What the server's error means for a store.
    private func refusal(
        of step: String, _ statement: MigrationStatement, _ error: PostgresError
    ) -> any Error {
        if error.state == PostgresError.lockTimeout { return isBusy(error) }
        if case .checkRows(let table, _, _) = statement.operation,
            error.state == PostgresError.checkViolation
        {
            // What the statement itself has said.
            var refusal = MigrationRefusal(step: step, reason: error.constraint ?? error.message)
            refusal.entity = table
            refusal.objects = [error.column.flatMap { Int64($0) }].compactMap(\.self)
            return MigrationError.refused(refusal)
        }
        if error.state == PostgresError.foreignKeyViolation {
            return MigrationError.brokenLinks(
                table: error.table ?? "", count: 1, object: nil)
        }
        let isOfData = error.isOfConstraint || error.state.hasPrefix("22")
        guard isOfData else { return error }
        let constraint = layout.brokenConstraint(error)
        var refusal = MigrationRefusal(
            step: step, reason: constraint?.violation ?? error.message)
        refusal.constraint = constraint?.text
        refusal.entity = constraint?.entity
        return MigrationError.refused(refusal)
    }

    // MARK: Afterwards

    /// Large values of objects that are gone, or that are no longer large.
    private func removeUnreferencedValues(keeping backup: PostgresBackup?) throws {
        let values = layout.unreferencedValues
        try backup?.keepValues("SELECT * \(values)")
        _ = try connection.run("DELETE \(values)")
    }
}
