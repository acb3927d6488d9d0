/// What a migration does to a table of a store, and what it costs.
package struct TableWork: Sendable, Hashable {
    /// What is done, from what takes no time to what takes the most.
    package enum Effect: String, Sendable, Hashable, CaseIterable, Comparable {
        /// What the table says becomes something else: it takes as long as in an empty store.
        case constant
        /// Rows are read: whether they meet a condition, or for an index.
        case scan
        /// Rows are changed, or taken away, where they are.
        case update
        /// Every row is written into a new table.
        case rebuild
        /// It is new, and empty.
        case new
        /// It goes, with its rows.
        case dropped

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        package static func < (left: Effect, right: Effect) -> Bool { left.rank < right.rank }
    }

    /// The table, by its new name where it has one.
    package let table: String
    /// The most that is done.
    package var effect: Effect
    /// The indexes that are made, and were not there.
    package var madeIndexes: [String] = []
    /// The indexes that are there no longer.
    package var droppedIndexes: [String] = []
    /// The properties without which the table would not be rebuilt, as `Entity.property`; empty where
    /// it is not, or where its rows come from elsewhere.
    package var causes: [String] = []

    /// Describes what is done.
    package init(table: String, effect: Effect, causes: [String] = []) {
        self.table = table
        self.effect = effect
        self.causes = causes
    }
}
