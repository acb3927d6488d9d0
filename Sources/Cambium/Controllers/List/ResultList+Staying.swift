extension ResultList {
    /// Those rows with new keys that need not move: between neighbours that do not change, as many
    /// as can keep their order. What does not change stays in any case.
    ///
    /// - Parameter starts: Where the sections start.
    /// - Returns: Their numbers among the rows with new keys.
    func rowsThatStay(_ edit: Edit, _ starts: [Int]) -> Set<Int> {
        guard !edit.rekeyed.isEmpty else { return [] }
        var unsettled = edit.removed.map { (index: $0, rekeyed: Int?.none) }
        for (number, change) in edit.rekeyed.enumerated() {
            unsettled.append((change.index, number))
        }
        unsettled.sort { $0.index < $1.index }
        var staying: Set<Int> = []
        var start = 0
        while start < unsettled.count {
            // A run of rows that lie side by side in a section; its neighbours are settled.
            let section = starts.path(of: unsettled[start].index).section
            var end = start + 1
            while end < unsettled.count, unsettled[end].index == unsettled[end - 1].index + 1,
                unsettled[end].index < starts[section + 1]
            {
                end += 1
            }
            let range = unsettled[start].index..<unsettled[end - 1].index + 1
            let fitting = unsettled[start..<end].compactMap(\.rekeyed).filter {
                fits(edit.rekeyed[$0], into: range, section, starts)
            }
            let run = longestRun(fitting.count) { earlier, later in
                let (one, other) = (edit.rekeyed[fitting[earlier]], edit.rekeyed[fitting[later]])
                return order.precedes(
                    one.keys, rows.key(at: one.index), other.keys, rows.key(at: other.index))
            }
            for index in run { staying.insert(fitting[index]) }
            start = end
        }
        return staying
    }

    /// Whether a row would be in order among the rows of a range of its section, by what is before
    /// and after them.
    private func fits(
        _ change: Edit.Rekeyed, into range: Range<Int>, _ section: Int, _ starts: [Int]
    ) -> Bool {
        let key = rows.key(at: change.index)
        return has(sections[section], change.keys)
            && (range.lowerBound == starts[section]
                || rows.precedes(range.lowerBound - 1, change.keys, key))
            && (range.upperBound == starts[section + 1]
                || !rows.precedes(range.upperBound, change.keys, key))
    }
}
