import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// Stores with the generated rows of a proof, for a step that is tried on a server in addition to
/// files, and their results.
package struct StepTrials {
    private let old: Model
    private let schema: Schema
    private let match: ModelMatch
    private let step: ProvenStep
    package private(set) var proof: MigrationProver.Proof

    package init(from old: Model, to new: Model, _ migration: Migration) {
        self.old = old
        schema = Schema(of: old)
        match = ModelMatch(old: old, new: new)
        step = ProvenStep(match, schema, Schema(of: new), migration)
        proof = step.proof
    }

    /// A store of the older version without rows.
    package func emptyStore() throws -> Connection? { step.makeStore(with: []) }

    /// A store of the older version with rows; nil if SQLite cannot compute their derived values.
    package func store(seed: UInt64, _ content: SampleRows.Content = .ordinary) -> Connection? {
        step.makeStore(with: rows(seed, content).map { .init(row: $0) })
    }

    /// Returns a store with rows that the step accepts in a file, for a step that rejects the
    /// generated rows. The result is nil if no such rows were found.
    ///
    /// - Parameter trials: The maximum number of trials of the step.
    package func acceptedStore(seed: UInt64, trials: Int = 96) throws -> Connection? {
        let found = try AcceptableRows(
            among: rows(seed, .ordinary), trials: trials, isAccepted: step.accepts)
        return found.candidates.isEmpty ? nil : step.makeStore(with: found.candidates)
    }

    private func rows(_ seed: UInt64, _ content: SampleRows.Content) -> [SampleRows.Row] {
        SampleRows(of: old, schema, for: match, seed: seed, content: content).rows
    }

    /// The number of rows in a store that is not migrated yet.
    package func rowCount(of store: Connection) throws -> Int { try step.oldCount(in: store) }

    /// Notes a store that was migrated.
    ///
    /// - Parameter rows: The number of rows in the store before.
    package mutating func add(migrated store: Connection, rows: Int) throws {
        proof.add(try step.seen(in: store, rows: rows))
    }

    /// Notes rows that were refused.
    package mutating func addRefusal() { proof.refusals += 1 }
}
