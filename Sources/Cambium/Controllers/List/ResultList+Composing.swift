extension ResultList {
    /// One difference that leads from an earlier state of the list to the list as it is now.
    ///
    /// - Parameter history: What happened in between.
    /// - Complexity: O(n log n)
    func difference(from old: FormerResults, _ history: ResultHistory) -> Difference {
        var oldIndices: [Int64: Int] = [:]
        oldIndices.reserveCapacity(old.keys.count)
        for (index, key) in old.keys.enumerated() { oldIndices[key] = index }
        let (oldStarts, newStarts) = (old.sections.starts, state.sectionStarts())
        let pairs = sectionPairs(with: old.sections) { section in
            rows.contains(in: newStarts[section]..<newStarts[section + 1]) { key in
                oldIndices[key] != nil && !history.mayHaveMoved(key)
            }
        }
        var inserts: [Difference.Change] = []
        var moves: [Difference.Change] = []
        var updates: [Difference.Change] = []
        for (section, oldSection) in pairs.enumerated() {
            let range = newStarts[section]..<newStarts[section + 1]
            let found = origins(of: range, in: old, oldIndices)
            let oldRange = oldSection.map { oldStarts[$0]..<oldStarts[$0 + 1] } ?? 0..<0
            let staying = itemsThatStay(found, oldRange, history)
            for (item, row) in found.enumerated() {
                let path = ItemPath(section: section, item: item)
                guard let oldIndex = row.oldIndex else {
                    report(row, in: &inserts) { .insert($0, at: path) }
                    continue
                }
                oldIndices[row.key] = nil
                let oldPath = oldStarts.path(of: oldIndex)
                if !staying.contains(item) {
                    report(row, in: &moves) { .move($0, from: oldPath, to: path) }
                } else if history.mayHaveChanged(row.key) {
                    report(row, in: &updates) { .update($0, from: oldPath, to: path) }
                }
            }
        }
        // What is left of the old places was not found again.
        let deletes = oldIndices.values.sorted().compactMap { index in
            old.object(at: index).map {
                Difference.Change.delete($0, at: oldStarts.path(of: index))
            }
        }
        var difference = sectionDifference(from: old.sections, pairs)
        difference.changes = deletes + inserts + moves + updates
        (difference.oldStarts, difference.newStarts) = (oldStarts, newStarts)
        return difference
    }

    /// A row of now.
    private struct Origin {
        let index: Int
        let key: Int64
        /// Where it was; nil where it was not there.
        let oldIndex: Int?
    }

    private func origins(
        of range: Range<Int>, in old: FormerResults, _ oldIndices: [Int64: Int]
    ) -> [Origin] {
        zip(range, rows.keys(in: range)).map { index, key in
            // The row of a key may have got another object.
            let oldIndex = oldIndices[key].flatMap {
                isSameObject(at: index, old, $0) ? $0 : nil
            }
            return Origin(index: index, key: key, oldIndex: oldIndex)
        }
    }

    private func isSameObject(at index: Int, _ old: FormerResults, _ oldIndex: Int) -> Bool {
        rows.source != nil || old.has(rows.object(at: index), at: oldIndex)
    }

    private func report(
        _ row: Origin, in changes: inout [Difference.Change],
        as change: (ManagedObject) -> Difference.Change
    ) {
        if let object = rows.object(at: row.index) { changes.append(change(object)) }
    }

    /// The items of a section that were in it before and need not move. Those that no difference
    /// displaced have kept their order; between two of them stay as many others as can.
    private func itemsThatStay(
        _ found: [Origin], _ oldRange: Range<Int>, _ history: ResultHistory
    ) -> Set<Int> {
        let candidates = found.indices.filter { item in
            found[item].oldIndex.map { oldRange.contains($0) } ?? false
        }
        let kept = keptInOrder(
            candidates.map { found[$0].oldIndex ?? 0 },
            isSettled: { !history.mayHaveMoved(found[candidates[$0]].key) })
        return Set(kept.map { candidates[$0] })
    }

    // MARK: Sections

    /// For each section of now, the one that it was. Where their order has changed, some go and
    /// come again.
    ///
    /// - Parameter isSettled: Whether a section has rows that did not move.
    private func sectionPairs(
        with old: [ResultSection], isSettled: (Int) -> Bool
    ) -> [Int?] {
        if case .none = sectioning { return [0] }
        let places = Dictionary(
            old.enumerated().map { ($1.identity, $0) }, uniquingKeysWith: { $1 })
        var pairs = [Int?](repeating: nil, count: sections.count)
        let found = sections.enumerated().compactMap { index, section in
            places[section.identity].map { (new: index, old: $0) }
        }
        let kept = keptInOrder(found.map(\.old), isSettled: { isSettled(found[$0].new) })
        for index in kept { pairs[found[index].new] = found[index].old }
        return pairs
    }

    private func sectionDifference(from old: [ResultSection], _ pairs: [Int?]) -> Difference {
        var difference = Difference()
        let kept = Set(pairs.compactMap(\.self))
        for (index, section) in old.enumerated() where !kept.contains(index) {
            difference.deletedSections.append(.init(index: index, section: section))
        }
        for (index, section) in sections.enumerated() where pairs[index] == nil {
            difference.insertedSections.append(.init(index: index, section: section))
        }
        return difference
    }
}
