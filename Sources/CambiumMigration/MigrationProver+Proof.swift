extension MigrationProver {
    /// What a proof has seen.
    package struct Proof: Sendable, Hashable {
        /// How many rows were migrated.
        package var rows = 0
        /// How many rows there were afterwards.
        package var newRows = 0
        /// How many sets of rows did not meet a new condition and were refused, rightly.
        package var refusals = 0
        /// The hierarchies, by their topmost entities, of which it has migrated no object: all that
        /// were made up were refused.
        package var rowless: [String] = []

        /// What a proof has seen so far.
        package init(rows: Int = 0, newRows: Int = 0, refusals: Int = 0, rowless: [String] = []) {
            self.rows = rows
            self.newRows = newRows
            self.refusals = refusals
            self.rowless = rowless
        }

        /// Adds what one store was.
        mutating func add(_ run: Run) {
            rows += run.rows
            newRows += run.newRows
            rowless.removeAll { run.objects[$0, default: 0] > 0 }
        }
    }

    /// What was migrated at once.
    struct Run {
        /// How many rows there were before.
        let rows: Int
        /// How many there were afterwards.
        let newRows: Int
        /// How many of those before were objects of each hierarchy.
        let objects: [String: Int]
    }
}
