/// The sorted, sectioned results of a controller.
struct ResultList<Entity: ManagedObject> {
    typealias Entry = ResultEntry<Entity>
    typealias Difference = FetchedResultsDifference<Entity>

    struct Section {
        /// What the entries have in common; null without sections.
        let value: Value
        var entries: [Entry]
    }

    let order: ObjectOrder
    /// Whether the first term of the order makes sections.
    let hasSections: Bool
    var sections: [Section] = []
    var entries: [Int64: Entry] = [:]

    init(order: ObjectOrder, hasSections: Bool) {
        self.order = order
        self.hasSections = hasSections
    }

    /// Takes over the results of a fetch.
    mutating func reset(to fetched: [Entry]) {
        sections = []
        entries = Dictionary(fetched.map { ($0.object.key, $0) }, uniquingKeysWith: { $1 })
        // They come in the order of the store's values; an object that the context had already may
        // have others.
        let isSorted = zip(fetched, fetched.dropFirst()).allSatisfy { precedes($0, $1) }
        for entry in isSorted ? fetched : fetched.sorted(by: precedes) {
            let value = sectionValue(of: entry.keys)
            // The section is changed in place: a copy of its array for each entry would be
            // quadratic.
            if sections.isEmpty || compare(sections[sections.count - 1].value, value) != 0 {
                sections.append(Section(value: value, entries: []))
            }
            sections[sections.count - 1].entries.append(entry)
        }
    }

    // MARK: Places

    func path(of object: ManagedObject) -> ItemPath? {
        entries[object.key].flatMap { $0.object === object ? path(of: $0) : nil }
    }

    /// - Complexity: O(log n)
    func path(of entry: Entry) -> ItemPath? {
        guard let section = sectionIndex(of: sectionValue(of: entry.keys)).found else { return nil }
        let item = insertionIndex(of: entry, in: sections[section].entries)
        guard item < sections[section].entries.count,
            sections[section].entries[item] === entry
        else { return nil }
        return ItemPath(section: section, item: item)
    }

    func sectionValue(of keys: [Value]) -> Value {
        hasSections ? keys.first ?? .null : .null
    }

    func precedes(_ one: Entry, _ other: Entry) -> Bool {
        order.precedes(one.keys, one.object.key, other.keys, other.object.key)
    }

    /// Less than 0, 0 or greater than 0, as sections follow each other.
    func compare(_ one: Value, _ other: Value) -> Int {
        guard hasSections else { return 0 }
        let result = one.order(relativeTo: other)
        return order.terms.first?.isDescending == true ? -result : result
    }

    /// The index of a section's value, or where it would be inserted.
    func sectionIndex(of value: Value) -> (found: Int?, insertion: Int) {
        sectionIndex(of: value, count: sections.count) { sections[$0].value }
    }

    func sectionIndex(
        of value: Value, count: Int, valueAt: (Int) -> Value
    ) -> (found: Int?, insertion: Int) {
        let index = partitionIndex(count) { compare(valueAt($0), value) >= 0 }
        let isFound = index < count && compare(valueAt(index), value) == 0
        return (isFound ? index : nil, index)
    }

    func insertionIndex(of entry: Entry, in entries: [Entry]) -> Int {
        partitionIndex(entries.count) { !precedes(entries[$0], entry) }
    }

    /// The first index that belongs to the second part, where the first part comes first.
    private func partitionIndex(_ count: Int, isSecond: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isSecond(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
