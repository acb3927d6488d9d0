/// The results of a controller, with the functions that find and change them.
///
/// It is not generic over the class of its objects: generic code would look up types at run time,
/// in each step.
struct ResultList {
    typealias Difference = FetchedResultsDifference<ManagedObject>

    let sectioning: Sectioning
    var state: ResultState
    var directory = ChunkDirectory()

    init(
        order: ObjectOrder, sectioning: Sectioning, chunkSize: Int = 512,
        source: ResultSource? = nil
    ) {
        self.sectioning = sectioning
        state = ResultState(
            rows: ResultRows(order: order, chunkSize: chunkSize, source: source), sections: [])
    }

    var rows: ResultRows { state.rows }
    var sections: [ResultSection] { state.sections }
    var order: ObjectOrder { state.rows.order }

    /// Replaces the rows by the results of a fetch.
    ///
    /// - Parameter kept: Cached sections. If they fit the rows, the sections need not be computed.
    /// - Throws: ``StoreError`` if a derived section name occurs in two places.
    mutating func reset(
        to fetched: [ResultEntry], dividedAs kept: [SectionCache.Section]? = nil
    ) throws {
        // They are sorted by the store's values. An object that the context already had may have
        // other values. The order is a separate constant: a closure that captures the list copies
        // it for each comparison.
        let order = order
        let isSorted = zip(fetched, fetched.dropFirst()).allSatisfy { $0.precedes($1, order) }
        let sorted = isSorted ? fetched : fetched.indices(inOrder: order).map { fetched[$0] }
        let known = kept.flatMap { divide(sorted, as: $0) }
        let sections = try known ?? makeSections(sorted)
        state.rows.reset(to: sorted, &directory)
        state.sections = sections
    }

    private func makeSections(_ sorted: [ResultEntry]) throws -> [ResultSection] {
        if case .none = sectioning {
            return [ResultSection(value: .null, derivedName: nil, count: sorted.count)]
        }
        var sections: [ResultSection] = []
        for entry in sorted {
            if let last = sections.last, has(last, entry.keys) {
                sections[sections.count - 1].count += 1
            } else {
                sections.append(sectioning.section(for: entry.keys))
            }
        }
        try checkNames(of: sections)
        return sections
    }

    // MARK: Places

    /// The index of an object's row.
    ///
    /// - Complexity: O(log n), and the search of a chunk.
    func index(of object: ManagedObject) -> Int? {
        index(of: object.key).flatMap { rows.has(object, at: $0) ? $0 : nil }
    }

    func index(of key: Int64) -> Int? {
        directory.index(of: key, in: rows)
    }

    func path(of object: ManagedObject) -> ItemPath? {
        index(of: object).map { state.sectionStarts().path(of: $0) }
    }

    // MARK: Sections

    /// Returns whether the section of a value comes after the section of another value.
    func follows(_ one: Value, _ other: Value) -> Bool {
        guard let term = order.terms.first else { return false }
        let result = term.order(one, other)
        if result != 0 { return result > 0 }
        // Texts that are equal in this order, but differ, are adjacent sections, sorted by their
        // bytes.
        let bytes = one.order(relativeTo: other)
        return term.isDescending ? bytes < 0 : bytes > 0
    }

    /// Returns whether a row with these keys belongs to an adjacent section.
    @inline(never)
    func has(_ section: ResultSection, _ keys: [Value]) -> Bool {
        let value = sectioning.value(of: keys)
        if section.value.order(relativeTo: value) == 0 { return true }
        guard let name = section.derivedName else { return false }
        return sectioning.derivedName(of: value)?.isSame(name) == true
    }

    /// Throws if a derived section name occurs in two places.
    func checkNames(of sections: [ResultSection]) throws {
        guard sectioning.derivesNames else { return }
        var known = [ResultSection.Identity: Int]()
        for (index, section) in sections.enumerated() where section.count > 0 {
            guard known.updateValue(index, forKey: section.identity) == nil else {
                throw StoreError.sectionNotContiguous
            }
        }
    }
}

extension String {
    /// Returns whether both have the same bytes. (`==` compares by canonical equivalence.)
    func isSame(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

/// The sorted, sectioned results of a controller at a moment.
struct ResultState {
    var rows: ResultRows
    var sections: [ResultSection]

    /// The index of each section's first row, and at the end the number of rows.
    ///
    /// - Complexity: O(sections)
    func sectionStarts() -> [Int] { sections.starts }

    func rowIndex(at path: ItemPath) -> Int? {
        guard sections.indices.contains(path.section), path.item >= 0,
            path.item < sections[path.section].count
        else { return nil }
        return sections[..<path.section].reduce(path.item) { $0 + $1.count }
    }
}

extension [ResultSection] {
    /// The index of each section's first row, and at the end the number of rows.
    var starts: [Int] {
        var starts = [0]
        starts.reserveCapacity(count + 1)
        var start = 0
        for section in self {
            start += section.count
            starts.append(start)
        }
        return starts
    }
}

extension [Int] {
    /// Returns the index path of a row. The receiver has the start indices of the sections.
    @inline(never)
    func path(of index: Int) -> ItemPath {
        let section = partitionIndex(count) { self[$0] > index } - 1
        return ItemPath(section: section, item: index - self[section])
    }
}

/// A section of a list: adjacent rows that share a value or a name.
struct ResultSection {
    /// The value that the rows share; null without sections. If names are derived, the value of one
    /// of the rows that were in the section.
    let value: Value
    /// The name that was derived from the rows' values, or nil if names are not derived.
    let derivedName: String?
    var count: Int

    /// The value or name that the rows share, as text.
    var name: String { derivedName ?? value.plainText }

    /// The identity of the section.
    @inline(never)
    var identity: Identity {
        if let derivedName { return .text(Array(derivedName.utf8)) }
        if case .string(let text) = value { return .text(Array(text.utf8)) }
        return .value(value)
    }

    /// Sections are divided by the bytes of texts. As strings, some of these would be equal.
    enum Identity: Hashable {
        case text([UInt8])
        case value(Value)
    }
}

/// The division of a list into sections.
enum Sectioning {
    /// The list has one section with all rows, or no section if it is empty.
    case none
    /// The rows of one value of the first term of the order.
    case values
    /// Adjacent rows with the same derived name.
    case names((Value) -> String)

    /// Creates a section of one row, with these keys.
    func section(for keys: [Value]) -> ResultSection {
        let value = value(of: keys)
        return ResultSection(value: value, derivedName: derivedName(of: value), count: 1)
    }

    /// Returns the value that determines the section of a row with these keys.
    func value(of keys: [Value]) -> Value {
        if case .none = self { .null } else { keys.first ?? .null }
    }

    func derivedName(of value: Value) -> String? {
        if case .names(let name) = self { name(value) } else { nil }
    }

    var derivesNames: Bool {
        if case .names = self { true } else { false }
    }
}

extension StoreError {
    /// The error for a section that would occur in two places.
    static let sectionNotContiguous = StoreError.invalidRequest(
        "The objects of one section name are not adjacent in the sort order.",
        remedy: "Sort by a property that keeps the objects of each section name together.")
}

// Finding the rows that a change inserts, removes or moves.
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
        // In a list of keys, a row that was deleted and inserted again still exists.
        let remaining: Set<Int64> =
            source == nil ? [] : Set(candidates.filter(\.belongs).map(\.object.key))
        for row in changes.lostRows where scope.family.contains(row.entity) {
            // A list that retains its objects finds the deleted ones among the candidates.
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
                // If another context deleted and inserted the row again, it has a new object.
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

    /// Returns the changes of the list's rows that were found again.
    ///
    /// - Parameter registered: The registered objects of the rows' hierarchy.
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
    /// Returns whether both have the same position in an order. `==` differs: it treats some
    /// strings as equal although their bytes differ.
    func hasSamePlace(as other: [Value]) -> Bool {
        zip(self, other).allSatisfy { $0.order(relativeTo: $1) == 0 }
    }
}

extension ResultList {
    /// Returns the rows with new keys that need not move: between unchanged neighbours, as many as
    /// can keep their order. Unchanged rows never move.
    ///
    /// - Parameter starts: The start indices of the sections.
    /// - Returns: Their numbers among the rows with new keys.
    func rowsThatStay(_ edit: Edit, _ starts: [Int]) -> Set<Int> {
        guard !edit.rekeyed.isEmpty else { return [] }
        var numbers = [Int: Int]()
        for (number, change) in edit.rekeyed.enumerated() { numbers[change.index] = number }
        let unsettled = (edit.removed + numbers.keys).sorted()
        var staying: Set<Int> = []
        var start = 0
        while start < unsettled.count {
            // A run of adjacent rows in a section, between settled neighbours.
            let section = starts.path(of: unsettled[start]).section
            var end = start + 1
            while end < unsettled.count, unsettled[end] == unsettled[end - 1] + 1,
                unsettled[end] < starts[section + 1]
            {
                end += 1
            }
            let range = unsettled[start]..<unsettled[end - 1] + 1
            let fitting = unsettled[start..<end].compactMap { numbers[$0] }.filter {
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

    /// Returns whether a row would be in order within a range of its section, according to the rows
    /// before and after the range.
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
