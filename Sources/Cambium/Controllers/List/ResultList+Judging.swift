// Which objects a change lets in, out or elsewhere.
extension ResultList {
    func edit(
        for changes: ObjectChanges, _ scope: ResultScope, in context: ManagedObjectContext
    ) throws -> Edit {
        let changed = ChangedObjects(changes, of: scope.family)
        let candidates = try scope.candidates(for: changes, in: context)
            .map { (object: $0, belongs: scope.includes($0)) }
        var edit = Edit()
        var leaving: Set<Int> = []
        func remove(_ index: Int) {
            if leaving.insert(index).inserted { edit.removed.append(index) }
        }
        let source = rows.source
        source?.beginChange()
        // For a list of keys a row that was deleted and inserted again is still there.
        let remaining: Set<Int64> =
            source == nil ? [] : Set(candidates.filter(\.belongs).map(\.object.key))
        for row in changes.lostRows where scope.family.contains(row.entity) {
            // A list that keeps its objects is notified of them.
            if source != nil, !remaining.contains(row.key), let index = index(of: row.key) {
                remove(index)
            }
        }
        for (object, belongs) in candidates {
            let place = index(of: object.key)
            let known = place.flatMap { rows.has(object, at: $0) ? $0 : nil }
            guard belongs else {
                if let known, !remaining.contains(object.key) {
                    source?.lose(object)
                    remove(known)
                }
                continue
            }
            let keys = try order.keys(of: object)
            if let known {
                var seen = rows.seen(at: known)
                let isChanged = changed.concerns(object, &seen)
                if seen != rows.seen(at: known) { edit.looks.append((known, seen)) }
                if !rows.keys(at: known).hasSamePlace(as: keys) {
                    edit.rekeyed.append(.init(index: known, keys: keys, isChanged: isChanged))
                } else if isChanged {
                    edit.touched.append(known)
                }
            } else {
                // The row has a new object where another context deleted and inserted it again.
                if let place { remove(place) }
                source?.find(object)
                edit.inserted.append(ResultEntry(object, keys: keys))
            }
        }
        if !scope.options.prefetched.isEmpty {
            try context.prefetching.prefetch(
                scope.options.prefetched, of: edit.inserted.compactMap(\.object),
                scope.request.entity)
        }
        return edit
    }

    /// What happened to the rows of the list that are found again.
    ///
    /// - Parameter registered: The objects that the context knows of the rows' hierarchy.
    func history(
        of found: [ResultEntry], _ changed: ChangedObjects, isReordered: Bool,
        _ registered: RootObjects
    ) -> ResultHistory {
        var displaced: Set<Int64> = []
        var updated: Set<Int64> = []
        for entry in found {
            guard let index = index(of: entry.key) else { continue }
            var seen = rows.seen(at: index)
            let isUpdated =
                (entry.object ?? registered.map[entry.key]).map { changed.concerns($0, &seen) }
                ?? (seen != entry.seen)
            if isUpdated { updated.insert(entry.key) }
            if !isReordered, !rows.keys(at: index).hasSamePlace(as: entry.keys) {
                displaced.insert(entry.key)
            }
        }
        return ResultHistory(displaced: displaced, updated: updated, isReordered: isReordered)
    }
}

extension [Value] {
    /// Whether both have the same place in an order. Not the same as `==`, which takes strings to
    /// be equal that differ in bytes.
    func hasSamePlace(as other: [Value]) -> Bool {
        zip(self, other).allSatisfy { $0.order(relativeTo: $1) == 0 }
    }
}

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
