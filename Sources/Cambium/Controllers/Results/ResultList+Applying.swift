extension ResultList {
    /// What a change of objects does to the list. An entry is named once.
    struct Edit {
        /// An entry with other values than those that decided its place.
        struct Rekeyed {
            let entry: Entry
            let keys: [Value]
            /// Whether the object itself changed, and not only what it leads to.
            let isChanged: Bool
        }

        var removed: [Entry] = []
        var inserted: [Entry] = []
        /// Changed without any effect on their place.
        var touched: [Entry] = []
        var rekeyed: [Rekeyed] = []

        var isEmpty: Bool {
            removed.isEmpty && inserted.isEmpty && touched.isEmpty && rekeyed.isEmpty
        }
    }

    /// Makes the change and says how.
    ///
    /// - Complexity: O(changed × log n) comparisons, and the moves of references in the arrays of
    ///   the sections that entries enter or leave.
    mutating func apply(_ edit: Edit) -> Difference {
        var oldPaths: [ObjectIdentifier: ItemPath] = [:]
        for entry in edit.removed + edit.touched + edit.rekeyed.map(\.entry) {
            oldPaths[ObjectIdentifier(entry)] = path(of: entry)
        }
        let oldValues = sections.map(\.value)
        let staying = entriesThatStay(edit, oldPaths)
        var arriving = edit.inserted
        var moved: [Entry] = []
        var updated = edit.touched
        for change in edit.rekeyed {
            if !staying.contains(ObjectIdentifier(change.entry)) {
                moved.append(change.entry)
            } else if change.isChanged {
                updated.append(change.entry)
            }
        }
        arriving += moved
        remove((edit.removed + moved).compactMap { oldPaths[ObjectIdentifier($0)] })
        for entry in edit.removed { entries[entry.object.key] = nil }
        for change in edit.rekeyed { change.entry.keys = change.keys }
        for entry in edit.inserted { entries[entry.object.key] = entry }
        insert(arriving)
        sections.removeAll { $0.entries.isEmpty }

        var difference = sectionDifference(from: oldValues)
        let hasOldPlaces = edit.removed.isEmpty && arriving.isEmpty
        func pair(_ entry: Entry) -> (Entity, ItemPath, ItemPath)? {
            guard let old = oldPaths[ObjectIdentifier(entry)],
                let new = hasOldPlaces ? old : path(of: entry)
            else { return nil }
            return (entry.object, old, new)
        }
        let deletes = edit.removed.compactMap { entry in
            oldPaths[ObjectIdentifier(entry)].map { (entry.object, $0) }
        }
        let inserts = edit.inserted.compactMap { entry in
            path(of: entry).map { (entry.object, $0) }
        }
        difference.changes =
            deletes.sorted { $0.1 < $1.1 }.map { .delete($0.0, at: $0.1) }
            + inserts.sorted { $0.1 < $1.1 }.map { .insert($0.0, at: $0.1) }
            + moved.compactMap(pair).sorted { $0.2 < $1.2 }
            .map { .move($0.0, from: $0.1, to: $0.2) }
            + updated.compactMap(pair).sorted { $0.2 < $1.2 }
            .map { .update($0.0, from: $0.1, to: $0.2) }
        return difference
    }

    /// Which sections came and went since the list had these.
    func sectionDifference(from oldValues: [Value]) -> Difference {
        var difference = Difference()
        for (index, value) in oldValues.enumerated() where sectionIndex(of: value).found == nil {
            difference.deletedSections.append(.init(index: index, value: value))
        }
        for (index, section) in sections.enumerated() {
            let place = sectionIndex(of: section.value, count: oldValues.count) { oldValues[$0] }
            if place.found == nil {
                difference.insertedSections.append(.init(index: index, value: section.value))
            }
        }
        return difference
    }

    // MARK: Staying

    /// The entries with new keys that need not move: between neighbours that do not change, as many
    /// as can keep their order. What does not change stays in any case.
    private func entriesThatStay(
        _ edit: Edit, _ oldPaths: [ObjectIdentifier: ItemPath]
    ) -> Set<ObjectIdentifier> {
        guard !edit.rekeyed.isEmpty else { return [] }
        var unsettled: [(path: ItemPath, change: Edit.Rekeyed?)] = []
        for entry in edit.removed {
            if let path = oldPaths[ObjectIdentifier(entry)] { unsettled.append((path, nil)) }
        }
        for change in edit.rekeyed {
            if let path = oldPaths[ObjectIdentifier(change.entry)] {
                unsettled.append((path, change))
            }
        }
        unsettled.sort { $0.path < $1.path }
        var staying: Set<ObjectIdentifier> = []
        var start = 0
        while start < unsettled.count {
            // A run of entries that lie side by side; its neighbours are settled.
            var end = start + 1
            while end < unsettled.count, unsettled[end].path.follows(unsettled[end - 1].path) {
                end += 1
            }
            let neighbours = sections[unsettled[start].path.section]
            let first = unsettled[start].path.item
            let last = unsettled[end - 1].path.item
            let fitting = unsettled[start..<end].compactMap(\.change).filter { change in
                compare(sectionValue(of: change.keys), neighbours.value) == 0
                    && (first == 0 || precedes(neighbours.entries[first - 1], change))
                    && (last + 1 == neighbours.entries.count
                        || precedes(change, neighbours.entries[last + 1]))
            }
            let run = longestRun(fitting.count) { earlier, later in
                order.precedes(
                    fitting[earlier].keys, fitting[earlier].entry.object.key,
                    fitting[later].keys, fitting[later].entry.object.key)
            }
            for index in run { staying.insert(ObjectIdentifier(fitting[index].entry)) }
            start = end
        }
        return staying
    }

    private func precedes(_ entry: Entry, _ change: Edit.Rekeyed) -> Bool {
        order.precedes(entry.keys, entry.object.key, change.keys, change.entry.object.key)
    }

    private func precedes(_ change: Edit.Rekeyed, _ entry: Entry) -> Bool {
        order.precedes(change.keys, change.entry.object.key, entry.keys, entry.object.key)
    }

    // MARK: Leaving and arriving

    private mutating func remove(_ paths: [ItemPath]) {
        for (section, paths) in Dictionary(grouping: paths, by: \.section) {
            sections[section].entries.remove(atSorted: paths.map(\.item).sorted())
        }
    }

    private mutating func insert(_ arriving: [Entry]) {
        // In this order the entries of a section come together, the sections in order.
        var rest = arriving.sorted(by: precedes)[...]
        while let first = rest.first {
            let value = sectionValue(of: first.keys)
            let group = Array(rest.prefix { compare(sectionValue(of: $0.keys), value) == 0 })
            rest = rest.dropFirst(group.count)
            let place = sectionIndex(of: value)
            guard let section = place.found else {
                sections.insert(Section(value: value, entries: group), at: place.insertion)
                continue
            }
            let items = group.map { insertionIndex(of: $0, in: sections[section].entries) }
            sections[section].entries.insert(group, atSorted: items)
        }
    }
}

extension ItemPath {
    /// Whether it is the place right after the other, in the same section.
    fileprivate func follows(_ other: ItemPath) -> Bool {
        section == other.section && item == other.item + 1
    }
}

extension Array {
    /// Removes the elements at ascending indices, in one pass.
    fileprivate mutating func remove(atSorted indices: [Int]) {
        guard let first = indices.first else { return }
        // A few are faster moved one by one, which is a copy of memory each.
        if indices.count <= 8 {
            for index in indices.reversed() { remove(at: index) }
            return
        }
        var next = 0
        var write = first
        for read in first..<count {
            if next < indices.count, indices[next] == read {
                next += 1
            } else {
                swapAt(write, read)
                write += 1
            }
        }
        removeLast(indices.count)
    }

    /// Inserts elements before those that are at ascending indices now, in one pass.
    fileprivate mutating func insert(_ elements: [Element], atSorted indices: [Int]) {
        if elements.count <= 8 {
            for (element, index) in zip(elements, indices).reversed() { insert(element, at: index) }
            return
        }
        var read = count - 1
        append(contentsOf: elements)
        var write = count - 1
        for (element, index) in zip(elements, indices).reversed() {
            while read >= index {
                swapAt(read, write)
                read -= 1
                write -= 1
            }
            self[write] = element
            write -= 1
        }
    }
}

/// The indices of a longest run of elements, in order, each of which comes before the next.
///
/// - Complexity: O(n log n)
func longestRun(_ count: Int, comesBefore: (_ earlier: Int, _ later: Int) -> Bool) -> [Int] {
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: count)
    for index in 0..<count {
        var low = 0
        var high = tails.count
        while low < high {
            let middle = (low + high) / 2
            if comesBefore(tails[middle], index) { low = middle + 1 } else { high = middle }
        }
        previous[index] = low > 0 ? tails[low - 1] : nil
        if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var run: [Int] = []
    var next = tails.last
    while let index = next {
        run.append(index)
        next = previous[index]
    }
    return run.reversed()
}
