import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Makes stores of a model in memory with generated rows.
struct SampleStore {
    private let runner: MigrationRunner
    private let repairs: [String]

    init(of model: Model, _ schema: Schema) {
        runner = MigrationRunner(model: model, schema: schema)
        repairs = model.derivationRepairs + schema.keyRepairs
    }

    /// A new store, in which random values are the same in each run. Rules may look at several
    /// columns: a row that fails is tried again with other values.
    func make(with rows: [AcceptableRows.Candidate]) throws -> Connection {
        let connection = try Connection(path: ":memory:")
        try connection.seedRandomFunctions()
        _ = try runner.open(connection)
        guard !rows.isEmpty else { return connection }
        try connection.execute(MigrationSQL.foreignKeysOff)
        try connection.transaction {
            for row in rows {
                try insert(row, into: connection)
            }
            while true {
                let violations = try connection.rows(MigrationSQL.foreignKeyCheck)
                if violations.isEmpty { break }
                for statement in Set(violations.compactMap(SampleRows.repair)) {
                    try connection.execute(statement)
                }
            }
            for statement in repairs {
                try connection.execute(statement)
            }
        }
        try connection.execute(MigrationSQL.foreignKeysOn)
        return connection
    }

    private func insert(
        _ candidate: AcceptableRows.Candidate, into connection: Connection
    ) throws {
        let first = candidate.firstAttempt
        for attempt in first..<first + AcceptableRows.attemptsPerRow {
            do {
                return try connection.execute(candidate.row.statement(attempt))
            } catch {
                let constraintCode: Int32 = 19
                if error.primaryCode != constraintCode { throw error }
            }
        }
    }
}
