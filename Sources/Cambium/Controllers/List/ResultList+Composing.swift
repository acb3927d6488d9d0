extension ResultList {
    /// Returns the difference between an earlier state of the list and the current one.
    ///
    /// - Parameter history: The changes in between.
    /// - Complexity: O(n log n)
    func difference(from old: FormerResults, _ history: ResultHistory) -> Difference {
        var oldIndices = [Int64: Int]()
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
        // The remaining old indices are of rows that were not found again.
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

    /// A row of the current list.
    private struct Origin {
        let index: Int
        let key: Int64
        /// The row's old index, or nil if it is new.
        let oldIndex: Int?
    }

    private func origins(
        of range: Range<Int>, in old: FormerResults, _ oldIndices: [Int64: Int]
    ) -> [Origin] {
        zip(range, rows.keys(in: range)).map { index, key in
            // The row with this key may have a different object now.
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

    /// Returns the items of a section that were in it before and need not move. Items that no
    /// difference displaced have kept their order; between two of them, as many others as possible
    /// stay.
    private func itemsThatStay(
        _ found: [Origin], _ oldRange: Range<Int>, _ history: ResultHistory
    ) -> Set<Int> {
        let candidates = found.indices.filter { item in
            found[item].oldIndex.map { oldRange.contains($0) } ?? false
        }
        let kept = keptInOrder(
            candidates.map { found[$0].oldIndex ?? 0 },
            areSettled: candidates.map { !history.mayHaveMoved(found[$0].key) })
        return Set(kept.map { candidates[$0] })
    }

    // MARK: Sections

    /// Returns the old index of each current section. If the order of sections has changed, some
    /// are deleted and inserted again.
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
        let kept = keptInOrder(found.map { $0.old }, areSettled: found.map { isSettled($0.new) })
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

/// The earlier results of a controller, as far as a difference needs them.
struct FormerResults {
    /// The keys of the rows, in order.
    private(set) var keys: [Int64]
    private(set) var sections: [ResultSection]
    /// The source of the rows' objects, if the rows do not keep them.
    let source: ResultSource?
    /// The objects of the rows; empty if there is a source.
    private var objects: [ManagedObject]
    /// The removed objects, if there is a source. The source may not contain them any more.
    private var left = [Int64: ManagedObject]()

    /// - Complexity: O(n)
    init(_ state: ResultState) {
        keys = state.rows.keys(in: 0..<state.rows.count)
        sections = state.sections
        source = state.rows.source
        objects = source == nil ? state.rows.objects(in: 0..<state.rows.count) : []
    }

    func object(at index: Int) -> ManagedObject? {
        guard let source else { return objects[index] }
        return left[keys[index]] ?? source.object(keys[index])
    }

    /// Returns whether a row had an object.
    func has(_ object: ManagedObject?, at index: Int) -> Bool {
        source != nil || objects[index] === object
    }

    /// Restores the state before a difference that produced the current one.
    ///
    /// - Complexity: O(n)
    mutating func takeBack(_ difference: FetchedResultsDifference<ManagedObject>) {
        if difference.isEmpty { return }
        var arrived: [Int] = []
        var left: [(index: Int, object: ManagedObject)] = []
        let (oldStarts, newStarts) = (difference.oldStarts, difference.newStarts)
        for change in difference.changes {
            switch change {
            case .insert(_, let path):
                arrived.append(newStarts[path.section] + path.item)
            case .delete(let object, let path):
                left.append((oldStarts[path.section] + path.item, object))
            case .move(let object, let old, let new):
                arrived.append(newStarts[new.section] + new.item)
                left.append((oldStarts[old.section] + old.item, object))
            case .update:
                continue
            }
        }
        arrived.sort()
        left = left.sorted(byKey: { Int64($0.index) })
        keys = Self.restored(keys, without: arrived, with: left.map { ($0.index, $0.object.key) })
        if source != nil {
            for (_, object) in left { self.left[object.key] = object }
        } else {
            objects = Self.restored(
                objects, without: arrived, with: left.map { ($0.index, $0.object) })
        }

        for section in difference.insertedSections.reversed() { sections.remove(at: section.index) }
        for section in difference.deletedSections {
            sections.insert(section.section, at: section.index)
        }
        for index in sections.indices {
            sections[index].count = oldStarts[index + 1] - oldStarts[index]
        }
    }

    /// Returns the elements before some were inserted and others removed.
    ///
    /// - Parameters:
    ///   - arrived: The indices of the inserted elements, ascending.
    ///   - left: The removed elements and their old indices, ascending.
    private static func restored<Element>(
        _ elements: [Element], without arrived: [Int], with left: [(index: Int, element: Element)]
    ) -> [Element] {
        var restored: [Element] = []
        restored.reserveCapacity(elements.count + left.count - arrived.count)
        var (arrival, leaver, next) = (0, 0, 0)
        while next < elements.count || leaver < left.count {
            if leaver < left.count, left[leaver].index == restored.count || next == elements.count {
                restored.append(left[leaver].element)
                leaver += 1
                continue
            }
            if arrival < arrived.count, arrived[arrival] == next {
                arrival += 1
            } else {
                restored.append(elements[next])
            }
            next += 1
        }
        return restored
    }
}

/// Returns the indices of a longest increasing subsequence of the elements.
///
/// - Complexity: O(n log n)
@inline(never)
func longestRun(_ count: Int, comesBefore: (_ earlier: Int, _ later: Int) -> Bool) -> [Int] {
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: count)
    for index in 0..<count {
        let place = partitionIndex(tails.count) { !comesBefore(tails[$0], index) }
        previous[index] = place > 0 ? tails[place - 1] : nil
        if place == tails.count { tails.append(index) } else { tails[place] = index }
    }
    var run: [Int] = []
    var next = tails.last
    while let index = next {
        run.append(index)
        next = previous[index]
    }
    return run.reversed()
}

/// Returns the elements that need not move, in order: the settled elements, with their old
/// positions ascending, and between two of them as many others as possible.
///
/// - Parameter places: The old positions.
func keptInOrder(_ places: [Int], areSettled: [Bool]) -> [Int] {
    var kept: [Int] = []
    var run: [Int] = []
    var lower = -1
    func close(at upper: Int) {
        let fitting = run.filter { lower < places[$0] && places[$0] < upper }
        kept += longestRun(fitting.count) { places[fitting[$0]] < places[fitting[$1]] }
            .map { fitting[$0] }
        run = []
        lower = upper
    }
    for index in places.indices {
        if areSettled[index] {
            close(at: places[index])
            kept.append(index)
        } else {
            run.append(index)
        }
    }
    close(at: .max)
    return kept
}

/// Returns the first index of the second part of a partitioned range.
func partitionIndex(from start: Int = 0, _ count: Int, isSecond: (Int) -> Bool) -> Int {
    var low = start
    var high = count
    while low < high {
        let middle = (low + high) / 2
        if isSecond(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}

/// Returns the first index of the second part of a partitioned range, if it is probably near the
/// start.
///
/// - Parameter reach: The length of the first search; each further one is twice as long.
func partitionIndex(
    from start: Int, reach: Int, _ count: Int, isSecond: (Int) -> Bool
) -> Int {
    var low = start
    var reach = reach
    while low + reach < count, !isSecond(low + reach - 1) {
        low += reach
        reach *= 2
    }
    return partitionIndex(from: low, min(low + reach, count), isSecond: isSecond)
}
