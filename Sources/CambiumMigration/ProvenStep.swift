import CambiumModel
import CambiumSQL
import CambiumSQLite

/// A migration from one version to the next, and what it must do; worked out once for all runs.
struct ProvenStep {
    private let name: String
    private let store: SampleStore
    private let tables: [Table]
    private let runner: MigrationRunner
    private let newCatalogue: Catalogue
    private let carried: [RowExpectation.Carried]
    private let staleCounts: [(name: String, query: String)]

    init(
        _ match: ModelMatch, _ oldSchema: Schema, _ newSchema: Schema, _ migration: Migration
    ) {
        let (old, new) = (match.old, match.new)
        name = "migration from \(old.version) to \(new.version)"
        store = SampleStore(of: old, oldSchema)
        tables = oldSchema.tables.filter { $0.content != .system }
        var runner = MigrationRunner(model: new, schema: newSchema, migrations: [migration])
        // What differs is looked for here, and told in another way.
        runner.driftPolicy = .report
        self.runner = runner
        newCatalogue = Catalogue(of: newSchema)
        let expectation = RowExpectation(match)
        carried = expectation.carried(into: newSchema)
        staleCounts = expectation.staleCounts
    }

    /// Whether a store with the rows can be migrated, well or not.
    func accepts(_ rows: [AcceptableRows.Candidate]) throws -> Bool {
        do {
            _ = try runner.open(try store.make(with: rows))
            return true
        } catch MigrationError.refused {
            return false
        }
    }

    /// Migrates a store with the rows, and compares it with what was there.
    ///
    /// - Returns: How many rows the store had.
    func run(over rows: [AcceptableRows.Candidate]) throws -> Int {
        let connection = try store.make(with: rows)
        let before = try carried.map { try connection.rows($0.oldQuery) }
        let counts = try tables.map { try connection.rows(MigrationSQL.count(of: $0)) }
        _ = try runner.open(connection)
        let differences = Catalogue(rows: try connection.rows(Catalogue.query))
            .differences(from: newCatalogue)
        guard differences.isEmpty else {
            throw failure(
                "After the \(name) these differ from a fresh store: "
                    + differences.joined(separator: ", "))
        }
        guard try runner.open(connection) == .current else {
            throw failure("After the \(name) the store does not have the new version")
        }
        for (carried, rows) in zip(carried, before) {
            if let lost = carried.difference(rows, try connection.rows(carried.newQuery)) {
                throw failure("The \(name) changes \(lost)")
            }
        }
        for (name, query) in staleCounts where try connection.rows(query) != [[.integer(0)]] {
            throw failure(
                "After the \(self.name) \(name) does not have the values that are derived for it")
        }
        return counts.reduce(0) { sum, rows in
            if case .integer(let count) = rows.first?.first { sum + Int(count) } else { sum }
        }
    }

    private func failure(_ description: String) -> MigrationProver.Failure {
        MigrationProver.Failure(description: description)
    }
}
