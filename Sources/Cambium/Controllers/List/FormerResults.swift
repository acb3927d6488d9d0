/// The results of a controller as they were, as far as a difference from them needs them.
struct FormerResults {
    /// The keys of the rows, in order.
    private(set) var keys: [Int64]
    private(set) var sections: [ResultSection]
    /// What gives the rows' objects, where the rows do not keep them.
    let source: ResultSource?
    /// The objects of the rows; none where there is a source.
    private var objects: [ManagedObject]
    /// Where there is a source, which may not know them any more: the objects that have left.
    private var left: [Int64: ManagedObject] = [:]

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

    /// Whether a row was that of an object.
    func has(_ object: ManagedObject?, at index: Int) -> Bool {
        source != nil || objects[index] === object
    }

    /// Goes back to what was before a difference that has led here.
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
        left.sort { $0.index < $1.index }
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

    /// What was there before some elements came and others went.
    ///
    /// - Parameters:
    ///   - arrived: The places of those that came, ascending.
    ///   - left: Those that went, and where they were, ascending.
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
