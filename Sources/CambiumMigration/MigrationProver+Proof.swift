extension MigrationProver {
    /// What a proof has seen.
    package struct Proof: Sendable, Hashable {
        /// How many rows were migrated.
        package var rows = 0
        /// How many rows there were afterwards.
        package var newRows = 0
        /// How many sets of rows did not meet a new condition and were refused, rightly.
        package var refusals = 0

        /// What a proof has seen so far.
        package init(rows: Int = 0, newRows: Int = 0, refusals: Int = 0) {
            self.rows = rows
            self.newRows = newRows
            self.refusals = refusals
        }

        /// Adds the rows of one store, before and afterwards.
        mutating func add(_ counts: (old: Int, new: Int)) {
            rows += counts.old
            newRows += counts.new
        }
    }
}
