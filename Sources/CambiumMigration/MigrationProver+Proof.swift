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
        /// How many objects of each hierarchy drops by condition have left, at most.
        private(set) var left: [String: Int] = [:]

        /// The hierarchies of which it has migrated no object, because drops by condition took all that
        /// were made up.
        package var dropped: [String] { left.filter { $0.value == 0 }.keys.sorted() }

        /// The hierarchies of which it has migrated no object, for either reason.
        package var missing: [String] { Set(rowless + dropped).sorted() }

        /// What a proof has seen so far.
        package init(
            rows: Int = 0, newRows: Int = 0, refusals: Int = 0, rowless: [String] = [],
            dropped: [String] = []
        ) {
            self.rows = rows
            self.newRows = newRows
            self.refusals = refusals
            self.rowless = rowless
            left = Dictionary(uniqueKeysWithValues: Set(dropped).map { ($0, 0) })
        }

        /// Adds what one store was.
        mutating func add(_ run: Run) {
            rows += run.rows
            newRows += run.newRows
            rowless.removeAll { run.objects[$0, default: 0] > 0 }
            for (name, count) in run.left where run.objects[name, default: 0] > 0 {
                left[name] = max(left[name] ?? 0, count)
            }
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
        /// How many of these drops by condition leave.
        let left: [String: Int]
    }
}
