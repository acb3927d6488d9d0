import CambiumEngine
@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Migrates a store of an earlier version to the program's version, in the transaction of the
/// caller. Either all of the migration is committed, or nothing.
struct PostgresMigrator {
    let derivations: PostgresDerivations
    private var layout: PostgresLayout { derivations.layout }
    let chain: MigrationChain
    let connection: PostgresConnection
    /// Whether tables from which the migration deletes data are copied first.
    let makesBackup: Bool
    /// The custom steps of the program.
    var code: [CodeStep] = []
    /// Ends a statement early, and with it the migration.
    var interruption = Interruption()

    /// Runs all steps. Foreign keys are checked once, after the last step.
    ///
    /// - Parameter progress: Called before each statement.
    /// - Returns: The schema of the copied tables; nil if none were copied.
    /// - Throws: ``MigrationError``, ``MigrationStepError``, and errors of the server.
    func run(notifying progress: ((MigrationProgress) -> Void)? = nil) throws -> String? {
        do {
            let work = try progress.map { _ in try expectedWork() }
            return try run(
                MigrationMeter(
                    of: chain, work, progress: progress ?? { _ in },
                    isCancelled: { interruption.isRequested }))
        } catch let error as PostgresError where error.isCancellation {
            throw MigrationError.cancelled
        }
    }

    /// The number of rows in each table, as the server estimates it.
    private func expectedWork() throws -> ExpectedWork {
        var parameters = PostgresParameters()
        parameters.append(.text(layout.schemaName), as: .text)
        let rows = try connection.run(
            """
            SELECT c.relname::text, c.reltuples::bigint, pg_relation_size(c.oid) \
            FROM pg_catalog.pg_class AS c \
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
            """, parameters)
        var counts: [String: Int] = [:]
        let bytesOfRow = 100
        for row in 0..<rows.count {
            let (count, bytes) = (Int(rows.integer(row, 1)), Int(rows.integer(row, 2)))
            counts[rows.text(row, 0)] = count < 0 ? bytes / bytesOfRow : count
        }
        let names = Set(chain.operations.flatMap(\.tables))
        return ExpectedWork(
            Dictionary(
                names.map { ($0, .init(rows: counts[PostgresName.short($0)] ?? 0)) },
                uniquingKeysWith: { one, _ in one }))
    }

    private func run(_ meter: MigrationMeter) throws -> String? {
        if chain.migrations.isEmpty {
            try refresh(meter)
            return nil
        }
        try chain.requireCode(in: code)
        let history = try carriedHistory
        let backup =
            try makesBackup && chain.needsBackup
            ? PostgresBackup(before: chain, layout, connection) : nil
        _ = try connection.run(PostgresSchema.searchPath(layout.schema))
        var waiting: [Waiting] = []
        for migration in chain.migrations {
            try history.begin(migration)
            for step in migration.steps {
                for statement in step.statements {
                    try meter.begins(step.summary)
                    try run(statement, of: step, in: migration, &waiting)
                    meter.ended()
                }
                guard let name = step.code else { continue }
                try meter.begins(step.summary)
                try run(name, of: migration, meter)
                meter.ended()
            }
            try history.end(migration)
        }
        meter.verifies()
        for key in waiting { try run(key.statement, of: key.step, in: key.migration) }
        try ComputedValues(derivations: derivations, now: .now).updateAll(connection) {
            $0.updateOfAll(layout).map { PostgresName.shortened($0.sql) }
        }
        try removeUnreferencedValues(keeping: backup)
        try history.finish()
        try meter.checkCancellation()
        return backup?.name
    }

    /// Gives tables that differ in no column the limits, defaults and indexes of the program's model.
    private func refresh(_ meter: MigrationMeter) throws {
        let model = layout.model.model
        let step = MigrationStep(
            summary: "Bring checks, defaults and indexes up to date", kind: .additive,
            statements: try PostgresDrift(layout: layout, connection: connection)
                .refreshment(ignoringOthers: true))
        let migration = Migration(
            from: model.version, to: model.version, fromHash: model.versionHash,
            toHash: model.versionHash, steps: [step])
        for statement in step.statements {
            try meter.begins(step.summary)
            try run(statement, of: step, in: migration)
            meter.ended()
        }
        try meter.checkCancellation()
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

    /// A foreign key that is added and checked after all steps.
    private struct Waiting {
        let name: String
        let statement: MigrationStatement
        let step: MigrationStep
        let migration: Migration
    }

    private func run(
        _ statement: MigrationStatement, of step: MigrationStep, in migration: Migration,
        _ waiting: inout [Waiting]
    ) throws {
        switch statement.operation {
        case .addForeignKey(let name, _):
            waiting.append(
                Waiting(name: name, statement: statement, step: step, migration: migration))
        case .dropForeignKey(let name, _):
            guard let index = waiting.firstIndex(where: { $0.name == name }) else { fallthrough }
            waiting.remove(at: index)
        default: try run(statement, of: step, in: migration)
        }
    }

    private func run(
        _ statement: MigrationStatement, of step: MigrationStep, in migration: Migration
    ) throws {
        let trial = PostgresTrial(connection, interruption)
        do {
            try trial.run(statement.sql, keepingTransaction: statement.operation.mayRefuse)
        } catch {
            if let error = stepError(statement, migration, error, trial) { throw error }
            throw refusal(of: step.summary, statement, in: migration, error, trial)
        }
    }

    private func run(_ step: String, of migration: Migration, _ meter: MigrationMeter) throws {
        let store = try PostgresStepConnection(connection, layout, interruption)
        defer { store.close() }
        try migration.run(step, of: code, on: store, meter)
    }

    // MARK: Refusals

    private func isBusy(_ error: PostgresError) -> StoreError {
        StoreError(
            code: .busy,
            message: "The store cannot be migrated, because transactions of other programs use "
                + "its tables.",
            remedy: "Try again when they have ended, or set a longer "
                + "StoreOptions.busyTimeout.", underlying: error)
    }

    /// The error that a program receives for an error of the server.
    private func refusal(
        of step: String, _ statement: MigrationStatement, in migration: Migration,
        _ error: PostgresError, _ trial: PostgresTrial
    ) -> any Error {
        if error.state == PostgresError.lockTimeout { return isBusy(error) }
        let refusals = PostgresRefusals(
            derivations: derivations, statements: migration.steps.flatMap(\.statements),
            trial: trial)
        return refusals.error(error, by: statement, of: step) ?? error
    }

    // MARK: Rows that steps of the program have left

    /// The error that names the row of a custom step that the server rejects; nil if the statement
    /// does not check such rows.
    private func stepError(
        _ statement: MigrationStatement, _ migration: Migration, _ error: PostgresError,
        _ trial: PostgresTrial
    ) -> MigrationStepError? {
        guard error.isOfData else { return nil }
        let steps = migration.codeSteps.joined(separator: ", ")
        switch statement.operation {
        case .settleRows(let root, _):
            let working = TableCopies.workingName(of: root)
            let refused = trial.firstRefused(of: PostgresName.identifier(working)) {
                "\(statement.sql) WHERE \($0)"
            }
            guard let refused else { return nil }
            let entity = trial.entity(of: refused.key, in: working) ?? root
            return MigrationStepError(
                step: steps, entity: entity, row: refused.key,
                MigrationStepMistake.missingValue(
                    entity: entity, row: refused.key,
                    constraint: layout.violation(of: refused.error)))
        case .createIndex(_, let table, _?)
        where migration.steps.contains { $0.code != nil && $0.tables.contains(table) }:
            guard let search = RefusalSQL.search(after: statement) else { return nil }
            let row = trial.rows(search.query).first ?? []
            let keys = row.compactMap(\.integer)
            return MigrationStepError(
                step: steps, entity: table, row: keys.first,
                MigrationStepMistake.notUnique(
                    entity: table, columns: search.columns, rows: keys))
        default: return nil
        }
    }

    // MARK: Afterwards

    /// Deletes the large values that no row references any more.
    private func removeUnreferencedValues(keeping backup: PostgresBackup?) throws {
        let values = layout.unreferencedValues
        try backup?.keepValues("SELECT * \(values)")
        _ = try connection.run("DELETE \(values)")
    }
}

extension SchemaOperation {
    /// Whether the operation may fail because of rows.
    fileprivate var mayRefuse: Bool {
        switch self {
        case .checkRows, .copyRows, .settleRows, .updateRows, .createIndex(_, _, _?),
            .addForeignKey, .alterTable:
            true
        default: false
        }
    }
}
