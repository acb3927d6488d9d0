import CambiumModel

/// In which order the columns of a table's new rows are given their values: a fill that looks at
/// others that are given one as well sees what they get.
struct FillTurns {
    /// The columns that each column's fill looks at, of those that are given a value.
    private let reads: [String: Set<String>]
    /// The same, over any number of fills.
    private let reach: [String: Set<String>]

    /// - Parameter reads: For each column that is given a value, the columns that its fill looks at.
    init(_ reads: [String: Set<String>]) {
        let given = Set(reads.keys)
        let reads = reads.mapValues { $0.intersection(given) }
        var reach = reads
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for (column, reached) in reach {
                let more = reached.reduce(reached) { $0.union(reach[$1, default: []]) }
                guard more.count > reached.count else { continue }
                reach[column] = more
                hasGrown = true
            }
        }
        self.reads = reads
        self.reach = reach
    }

    /// When a column has its turn; the first is 1. Fills that look at each other have theirs
    /// together, and see what was there before.
    func turn(of column: String) -> Int {
        let together = reach[column, default: []].filter { reach[$0, default: []].contains(column) }
        let before = together.union([column]).flatMap { reads[$0, default: []] }
            .filter { !together.contains($0) && $0 != column }
        return (before.map(turn).max() ?? 0) + 1
    }
}
