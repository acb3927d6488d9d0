extension MigrationProver {
    /// What a proof has seen.
    package struct Proof: Sendable, Hashable {
        /// How many rows were migrated.
        package var rows = 0
        /// How many rows there were afterwards.
        package var newRows = 0
        /// How many sets of rows did not meet a new condition and were refused, rightly.
        package var refusals = 0
        /// How many objects of each entity that the migration touches a store had afterwards, at
        /// most.
        private var objects: [String: Int]
        /// The entities of which drops by condition take objects.
        private let thinned: Set<String>

        /// How many objects of an entity a store must have had: with one alone nothing is known of
        /// what they share, such as a value that has to be unique.
        package static let enough = 2

        /// The entities of which no store had enough objects afterwards, because those that were
        /// generated were refused.
        package var refused: [String] { scarce.filter { !thinned.contains($0) } }

        /// The entities of which no store had enough objects afterwards, because drops by condition
        /// took those that were generated.
        package var dropped: [String] { scarce.filter(thinned.contains) }

        /// The entities of which no store had enough objects afterwards, for either reason.
        package var scarce: [String] {
            objects.filter { $0.value < Self.enough }.keys.sorted()
        }

        /// Whether all generated rows were refused.
        package var isEmpty: Bool { rows == 0 && refusals > 0 }

        /// What a proof has seen so far.
        ///
        /// - Parameters:
        ///   - refused: As of ``refused``.
        ///   - dropped: As of ``dropped``.
        package init(
            rows: Int = 0, newRows: Int = 0, refusals: Int = 0, refused: [String] = [],
            dropped: [String] = []
        ) {
            self.init(entities: refused + dropped, thinned: Set(dropped))
            self.rows = rows
            self.newRows = newRows
            self.refusals = refusals
        }

        /// A proof that has seen nothing yet.
        ///
        /// - Parameters:
        ///   - entities: The entities of which there should be objects afterwards.
        ///   - thinned: Those of which drops by condition take objects.
        init(entities: [String], thinned: Set<String>) {
            objects = Dictionary(entities.map { ($0, 0) }, uniquingKeysWith: max)
            self.thinned = thinned
        }

        /// Adds what one store was.
        mutating func add(_ run: Run) {
            rows += run.rows
            newRows += run.newRows
            for (name, count) in run.objects { objects[name] = max(objects[name] ?? 0, count) }
        }
    }

    /// What was migrated at once.
    struct Run {
        /// How many rows there were before.
        let rows: Int
        /// How many there were afterwards.
        let newRows: Int
        /// How many of these are objects of each entity that is looked at.
        let objects: [(name: String, count: Int)]
    }
}
