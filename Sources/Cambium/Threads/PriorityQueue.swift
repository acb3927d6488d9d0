/// Elements, of which the one of the highest priority comes first, and of these the oldest.
struct PriorityQueue<Element> {
    private struct Entry {
        let element: Element
        let priority: TaskPriority
        let number: UInt64

        func isBefore(_ other: Entry) -> Bool {
            priority == other.priority ? number < other.number : priority > other.priority
        }
    }

    /// A heap: no entry is before its parent, which is at half its (one-based) position.
    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 0

    var count: Int { entries.count }

    /// The highest priority; nil if there is no element.
    var firstPriority: TaskPriority? { entries.first?.priority }

    /// - Complexity: O(log *n*).
    mutating func insert(_ element: Element, _ priority: TaskPriority) {
        entries.append(Entry(element: element, priority: priority, number: nextNumber))
        nextNumber += 1
        var index = entries.count - 1
        while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes the first element; nil if there is none.
    ///
    /// - Complexity: O(log *n*).
    mutating func popFirst() -> (element: Element, priority: TaskPriority)? {
        guard let last = entries.popLast() else { return nil }
        guard let first = entries.first else { return (last.element, last.priority) }
        entries[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].isBefore(entries[least]) {
                least = child
            }
            if least == index { break }
            entries.swapAt(index, least)
            index = least
        }
        return (first.element, first.priority)
    }
}
