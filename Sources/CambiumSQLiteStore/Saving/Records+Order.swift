import CambiumRecords

extension [Record] {
    /// In the order of the keys, in which a B-tree takes rows fastest.
    func sortedByKey() -> [Record] {
        for index in indices.dropFirst() where self[index].key < self[index - 1].key {
            return sorted { $0.key < $1.key }
        }
        return self
    }

    /// Where, in the order of the keys, one key follows the other without a gap.
    func runsOfKeys() -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for index in indices where index == count - 1 || self[index].key &+ 1 != self[index + 1].key
        {
            runs.append(start..<index + 1)
            start = index + 1
        }
        return runs
    }

    /// The records of each version, which stay in their order.
    func groupedByVersion() -> [(version: Int64, records: [Record])] {
        guard let first else { return [] }
        if allSatisfy({ $0.version == first.version }) { return [(first.version, self)] }
        return Dictionary(grouping: self, by: \.version).sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }
}
