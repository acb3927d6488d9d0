import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// The steps that the program does itself.
extension MigrationRunner {
    /// - Throws: ``MigrationError/codeIsMissing(steps:)`` where a step of the chain is not supplied.
    func requireCode(of chain: MigrationChain) throws(MigrationError) {
        let missing = chain.migrations.flatMap { migration in
            migration.codeSteps.filter { code(of: $0, in: migration) == nil }
        }
        guard missing.isEmpty else { throw .codeIsMissing(steps: missing) }
    }

    private func code(of step: String, in migration: Migration) -> CodeStep? {
        code.first { $0.name == step && $0.from == migration.from }
    }

    /// Runs a step of the program, in the transaction of the chain.
    func run(
        _ step: String, of migration: Migration, on connection: Connection,
        _ meter: MigrationMeter, files: ExternalFiles?
    ) throws {
        guard let code = code(of: step, in: migration) else {
            throw MigrationError.codeIsMissing(steps: [step])
        }
        try StepRun(step, on: connection, files: files, meter).run(code)
    }

    /// The row because of which what steps have written is refused: looks at one after the other.
    ///
    /// - Returns: Nil where the statement is about something else than what steps have written.
    func refusedRow(
        by statement: MigrationStatement, of migration: Migration, on connection: Connection
    ) throws -> MigrationStepError? {
        guard case .settleRows(let root, _) = statement.operation else {
            return refusedIndex(by: statement, of: migration, on: connection)
        }
        let working = TableCopies.workingName(of: root)
        let ofOne = StepTableSQL.settlementOfOne(statement)
        let keys = try connection.statement(StepRowSQL.keys(of: working))
        defer { keys.reset() }
        while try keys.step() {
            guard case .integer(let key) = keys.value(at: 0) else { continue }
            do throws(SQLiteError) {
                _ = try connection.rows(ofOne, [.integer(key)])
            } catch {
                let names = try? connection.rows(
                    StepRowSQL.entity(in: working), [.integer(key)])
                let entity = names?.first?.first?.text ?? root
                return MigrationStepError(
                    step: migration.codeSteps.joined(separator: ", "), entity: entity, row: key,
                    MigrationStepMistake.missingValue(
                        entity: entity, row: key,
                        constraint: Self.reason(of: error, constraint(of: error))))
            }
        }
        return nil
    }

    /// Where steps have made equal what is unique.
    private func refusedIndex(
        by statement: MigrationStatement, of migration: Migration, on connection: Connection
    ) -> MigrationStepError? {
        guard case .createIndex(_, let table, _) = statement.operation,
            migration.steps.contains(where: { $0.code != nil && $0.tables.contains(table) })
        else { return nil }
        let search = RefusalSQL.search(after: statement)
        let pair = search.flatMap { try? connection.rows($0.query).first } ?? []
        let keys = pair.compactMap(\.integer)
        return MigrationStepError(
            step: migration.codeSteps.joined(separator: ", "), entity: table, row: keys.first,
            MigrationStepMistake.notUnique(
                entity: table, columns: search?.columns ?? [], rows: keys))
    }
}
