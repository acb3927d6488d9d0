import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Proves a migration on a real SQLite in memory, with the code that runs on users' machines.
package enum MigrationProver {
    /// Why a migration is not what it should be: a mistake of ours, or of whoever wrote its steps.
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong.
        package let description: String
    }

    /// What a proof has seen.
    package struct Proof: Sendable, Hashable {
        /// How many rows were migrated.
        package var rows = 0
        /// How many sets of rows did not meet a new condition and were refused, rightly.
        package var refusals = 0
    }

    /// Runs the migration over an empty store and over stores with generated rows.
    ///
    /// - Returns: How many rows took part.
    /// - Throws: ``Failure``, ``MigrationError`` or `SQLiteError`.
    @discardableResult
    package static func prove(
        from old: Model, to new: Model, migration: Migration, seeds: Range<UInt64> = 0..<3
    ) throws -> Proof {
        var proof = Proof()
        _ = try run(from: old, to: new, migration, seed: nil)
        for seed in seeds {
            do {
                proof.rows += try run(from: old, to: new, migration, seed: seed)
            } catch MigrationError.refused where migration.kind >= .needsData {
                // Generated values know nothing of the conditions that the new version adds.
                proof.refusals += 1
            }
        }
        return proof
    }

    /// A store of a model in memory with generated rows.
    package static func makeStore(of model: Model, seed: UInt64?) throws -> Connection {
        let connection = try Connection(path: ":memory:")
        _ = try MigrationRunner(model: model).open(connection)
        if let seed { try insertRows(of: model, seed: seed, into: connection) }
        return connection
    }

    private static func run(
        from old: Model, to new: Model, _ migration: Migration, seed: UInt64?
    ) throws -> Int {
        let connection = try makeStore(of: old, seed: seed)
        let expectation = RowExpectation(from: old, to: new)
        let carried = expectation.carried
        let before = try carried.map { try connection.rows($0.oldQuery) }
        let count = try Schema(of: old).tables.reduce(0) { count, table in
            guard table.content != .system else { return count }
            return try count + connection.rows(MigrationSQL.rows(of: table)).count
        }
        let runner = MigrationRunner(model: new, migrations: [migration])
        _ = try runner.open(connection)
        let differences = Catalogue(rows: try connection.rows(Catalogue.query))
            .differences(from: Catalogue(of: Schema(of: new)))
        guard differences.isEmpty else {
            throw Failure(
                description: "After the migration from \(old.version) to \(new.version) these "
                    + "differ from a fresh store: \(differences.joined(separator: ", "))")
        }
        guard try runner.open(connection) == .current else {
            throw Failure(
                description: "After the migration from \(old.version) to \(new.version) the "
                    + "store does not have the new version")
        }
        for (carried, rows) in zip(carried, before)
        where try connection.rows(carried.newQuery) != rows {
            throw Failure(
                description: "The migration from \(old.version) to \(new.version) changes "
                    + carried.name)
        }
        for (name, query) in expectation.staleCounts
        where try connection.rows(query) != [[.integer(0)]] {
            throw Failure(
                description: "After the migration from \(old.version) to \(new.version) "
                    + "\(name) does not have the values that are derived for it")
        }
        return count
    }

    /// Rules may look at several columns: a row that fails is tried again with other values.
    private static func insertRows(
        of model: Model, seed: UInt64, into connection: Connection
    ) throws {
        try connection.execute(MigrationSQL.foreignKeysOff)
        for row in SampleRows(of: model, seed: seed).rows {
            try insert(row, into: connection)
        }
        while true {
            let violations = try connection.rows(MigrationSQL.foreignKeyCheck)
            if violations.isEmpty { break }
            for statement in Set(violations.compactMap(SampleRows.repair)) {
                try connection.execute(statement)
            }
        }
        for statement in model.derivationRepairs {
            try connection.execute(statement)
        }
        try connection.execute(MigrationSQL.foreignKeysOn)
    }

    private static func insert(_ row: SampleRows.Row, into connection: Connection) throws {
        for attempt in 0..<30 {
            do {
                return try connection.execute(row.statement(attempt))
            } catch {
                let constraintCode: Int32 = 19
                if error.primaryCode != constraintCode { throw error }
            }
        }
    }
}
