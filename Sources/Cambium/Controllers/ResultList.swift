/// The sorted, sectioned results of a controller, and how one state becomes the next.
struct ResultList<Entity: ManagedObject> {
    typealias Entry = ResultEntry<Entity>
    typealias Difference = FetchedResultsDifference<Entity>

    struct Section {
        let value: Value
        var entries: [Entry]
    }

    let order: ObjectOrder
    /// Whether sections with greater values come first; nil without sections.
    let sectionsDescend: Bool?
    private(set) var sections: [Section] = []
    private(set) var entries: [Int64: Entry] = [:]

    init(order: ObjectOrder, sectionsDescend: Bool?) {
        self.order = order
        self.sectionsDescend = sectionsDescend
    }

    /// Takes over the results of a fetch, which come in order.
    mutating func reset(to fetched: [Entry]) {
        sections = []
        entries = Dictionary(minimumCapacity: fetched.count)
        for entry in fetched {
            entries[entry.object.key] = entry
            if let last = sections.last, compare(last.value, entry.sectionValue) == 0 {
                sections[sections.count - 1].entries.append(entry)
            } else {
                sections.append(Section(value: entry.sectionValue, entries: [entry]))
            }
        }
    }

    func path(of object: ManagedObject) -> ItemPath? {
        entries[object.key].flatMap { $0.object === object ? path(of: $0) : nil }
    }

    /// - Complexity: O(log n)
    func path(of entry: Entry) -> ItemPath? {
        guard let section = sectionIndex(of: entry.sectionValue).found else { return nil }
        let item = insertionIndex(of: entry, in: sections[section].entries)
        guard item < sections[section].entries.count,
            sections[section].entries[item] === entry
        else { return nil }
        return ItemPath(section: section, item: item)
    }

    // MARK: Change

    /// What a change of objects does to the list.
    struct Edit {
        var removed: [Entry] = []
        var inserted: [Entry] = []
        /// Changed without any effect on their place.
        var touched: [Entry] = []
        /// Changed, with the values that decide their new place.
        var rekeyed: [(entry: Entry, sectionValue: Value, keys: [Value])] = []
    }

    /// Makes the change and says how.
    ///
    /// - Complexity: O(changed × log n) comparisons, and the moves of references in arrays.
    mutating func apply(_ edit: Edit) -> Difference {
        var oldPaths: [ObjectIdentifier: ItemPath] = [:]
        for entry in edit.removed + edit.touched + edit.rekeyed.map(\.entry) {
            oldPaths[ObjectIdentifier(entry)] = path(of: entry)
        }
        let oldSections = sections.map(\.value)
        let staying = entriesThatStay(edit, oldPaths)
        var moved: [Entry] = []
        var leaving: [ItemPath] = edit.removed.compactMap { oldPaths[ObjectIdentifier($0)] }
        for change in edit.rekeyed {
            let entry = change.entry
            if !staying.contains(ObjectIdentifier(entry)) {
                moved.append(entry)
                if let path = oldPaths[ObjectIdentifier(entry)] { leaving.append(path) }
            }
            entry.sectionValue = change.sectionValue
            entry.keys = change.keys
        }
        for path in leaving.sorted(by: >) {
            sections[path.section].entries.remove(at: path.item)
        }
        for entry in edit.removed { entries[entry.object.key] = nil }
        for entry in edit.inserted { entries[entry.object.key] = entry }
        for entry in edit.inserted + moved { insert(entry) }
        sections.removeAll { $0.entries.isEmpty }
        return difference(edit, moved, staying, oldPaths, oldSections)
    }

    private mutating func insert(_ entry: Entry) {
        let place = sectionIndex(of: entry.sectionValue)
        guard let section = place.found else {
            sections.insert(
                Section(value: entry.sectionValue, entries: [entry]), at: place.insertion)
            return
        }
        let item = insertionIndex(of: entry, in: sections[section].entries)
        sections[section].entries.insert(entry, at: item)
    }

    /// The entries with new keys whose place among those that do not move is still right. The more of
    /// them, the fewer moves; each that is found right is a neighbour for the next.
    private func entriesThatStay(
        _ edit: Edit, _ oldPaths: [ObjectIdentifier: ItemPath]
    ) -> Set<ObjectIdentifier> {
        var unsettled = Set(
            (edit.removed + edit.rekeyed.map(\.entry)).map { ObjectIdentifier($0) })
        var newKeys: [ObjectIdentifier: [Value]] = [:]
        var staying: Set<ObjectIdentifier> = []
        for change in edit.rekeyed {
            let entry = change.entry
            guard let path = oldPaths[ObjectIdentifier(entry)],
                compare(change.sectionValue, sections[path.section].value) == 0
            else { continue }
            let neighbours = sections[path.section].entries
            let before = neighbours[..<path.item].last {
                !unsettled.contains(ObjectIdentifier($0))
            }
            let after = neighbours[(path.item + 1)...].first {
                !unsettled.contains(ObjectIdentifier($0))
            }
            let key = entry.object.key
            let followsBefore = before.map {
                order.precedes(
                    newKeys[ObjectIdentifier($0)] ?? $0.keys, $0.object.key, change.keys, key)
            }
            let precedesAfter = after.map {
                order.precedes(
                    change.keys, key, newKeys[ObjectIdentifier($0)] ?? $0.keys, $0.object.key)
            }
            if followsBefore ?? true, precedesAfter ?? true {
                staying.insert(ObjectIdentifier(entry))
                unsettled.remove(ObjectIdentifier(entry))
                newKeys[ObjectIdentifier(entry)] = change.keys
            }
        }
        return staying
    }

    private func difference(
        _ edit: Edit, _ moved: [Entry], _ staying: Set<ObjectIdentifier>,
        _ oldPaths: [ObjectIdentifier: ItemPath], _ oldSections: [Value]
    ) -> Difference {
        var difference = Difference()
        difference.deletedSections = oldSections.enumerated()
            .filter { sectionIndex(of: $0.element).found == nil }
            .map { .init(index: $0.offset, name: $0.element.sectionName, value: $0.element) }
        let old = Set(oldSections)
        difference.insertedSections = sections.enumerated()
            .filter { !old.contains($0.element.value) }
            .map {
                .init(
                    index: $0.offset, name: $0.element.value.sectionName, value: $0.element.value)
            }
        func oldPath(_ entry: Entry) -> ItemPath? { oldPaths[ObjectIdentifier(entry)] }
        let deletes = edit.removed.compactMap { entry in
            oldPath(entry).map { (entry.object, $0) }
        }
        let inserts = edit.inserted.compactMap { entry in
            path(of: entry).map { (entry.object, $0) }
        }
        let moves = moved.compactMap { pair($0, oldPath($0)) }
        let updated =
            edit.touched
            + edit.rekeyed.map(\.entry).filter { staying.contains(ObjectIdentifier($0)) }
        let updates = updated.compactMap { pair($0, oldPath($0)) }
        difference.changes =
            deletes.sorted { $0.1 < $1.1 }.map { .delete($0.0, at: $0.1) }
            + inserts.sorted { $0.1 < $1.1 }.map { .insert($0.0, at: $0.1) }
            + moves.sorted { $0.2 < $1.2 }.map { .move($0.0, from: $0.1, to: $0.2) }
            + updates.sorted { $0.2 < $1.2 }.map { .update($0.0, from: $0.1, to: $0.2) }
        return difference
    }

    private func pair(_ entry: Entry, _ old: ItemPath?) -> (Entity, ItemPath, ItemPath)? {
        guard let old, let new = path(of: entry) else { return nil }
        return (entry.object, old, new)
    }

    // MARK: Places

    private func compare(_ one: Value, _ other: Value) -> Int {
        guard let sectionsDescend else { return 0 }
        let order = one.order(relativeTo: other)
        return sectionsDescend ? -order : order
    }

    private func sectionIndex(of value: Value) -> (found: Int?, insertion: Int) {
        var low = 0
        var high = sections.count
        while low < high {
            let middle = (low + high) / 2
            if compare(sections[middle].value, value) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        let isFound = low < sections.count && compare(sections[low].value, value) == 0
        return (isFound ? low : nil, low)
    }

    private func insertionIndex(of entry: Entry, in entries: [Entry]) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let other = entries[middle]
            if order.precedes(other.keys, other.object.key, entry.keys, entry.object.key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
