extension ResultList {
    /// A list as a consumer saw it: sections of objects.
    private typealias Seen = [(value: Value, objects: [Entity])]

    /// One difference that does what several did one after the other, up to the list as it is now.
    ///
    /// - Complexity: O(n log n)
    func difference(composing differences: [Difference]) -> Difference {
        var old: Seen = sections.map { ($0.value, $0.entries.map(\.object)) }
        for difference in differences.reversed() { Self.undo(difference, in: &old) }
        var touched: Set<ObjectIdentifier> = []
        for difference in differences {
            for case .update(let object, _, _) in difference.changes {
                touched.insert(ObjectIdentifier(object))
            }
            for case .move(let object, _, _) in difference.changes {
                touched.insert(ObjectIdentifier(object))
            }
        }
        return difference(from: old, touched)
    }

    /// Takes a difference back: new places go first, then old ones come back.
    private static func undo(_ difference: Difference, in list: inout Seen) {
        var leaving: [ItemPath] = []
        var returning: [(object: Entity, path: ItemPath)] = []
        for change in difference.changes {
            switch change {
            case .insert(_, let path): leaving.append(path)
            case .delete(let object, let path): returning.append((object, path))
            case .move(let object, let old, let new):
                leaving.append(new)
                returning.append((object, old))
            case .update: break
            }
        }
        for path in leaving.sorted(by: >) { list[path.section].objects.remove(at: path.item) }
        for section in difference.insertedSections.reversed() { list.remove(at: section.index) }
        for section in difference.deletedSections {
            list.insert((section.value, []), at: section.index)
        }
        for (object, path) in returning.sorted(by: { $0.path < $1.path }) {
            list[path.section].objects.insert(object, at: path.item)
        }
    }

    private func difference(from old: Seen, _ touched: Set<ObjectIdentifier>) -> Difference {
        var oldPaths: [ObjectIdentifier: ItemPath] = [:]
        var oldValues: [ObjectIdentifier: Value] = [:]
        for (section, content) in old.enumerated() {
            for (item, object) in content.objects.enumerated() {
                oldPaths[ObjectIdentifier(object)] = ItemPath(section: section, item: item)
                oldValues[ObjectIdentifier(object)] = content.value
            }
        }
        var difference = Difference()
        let oldSections = Set(old.map(\.value))
        let newSections = Set(sections.map(\.value))
        difference.deletedSections = old.enumerated().filter { !newSections.contains($1.value) }
            .map { .init(index: $0, name: $1.value.sectionName, value: $1.value) }
        difference.insertedSections = sections.enumerated()
            .filter { !oldSections.contains($1.value) }
            .map { .init(index: $0, name: $1.value.sectionName, value: $1.value) }
        var present: Set<ObjectIdentifier> = []
        var inserts: [Difference.Change] = []
        var moves: [Difference.Change] = []
        var updates: [Difference.Change] = []
        for (section, content) in sections.enumerated() {
            // Of the objects that were in this section, the longest run in old order stays.
            let known = content.entries.enumerated().compactMap { item, entry -> (Int, ItemPath)? in
                let id = ObjectIdentifier(entry.object)
                guard oldValues[id] == content.value, let path = oldPaths[id] else { return nil }
                return (item, path)
            }
            let staying = Set(longestIncreasingRun(known.map(\.1)).map { known[$0].0 })
            for (item, entry) in content.entries.enumerated() {
                let id = ObjectIdentifier(entry.object)
                let path = ItemPath(section: section, item: item)
                present.insert(id)
                guard let oldPath = oldPaths[id] else {
                    inserts.append(.insert(entry.object, at: path))
                    continue
                }
                if !staying.contains(item) {
                    moves.append(.move(entry.object, from: oldPath, to: path))
                } else if touched.contains(id) {
                    updates.append(.update(entry.object, from: oldPath, to: path))
                }
            }
        }
        let deletes = old.flatMap(\.objects).filter { !present.contains(ObjectIdentifier($0)) }
            .compactMap { object in
                oldPaths[ObjectIdentifier(object)].map { Difference.Change.delete(object, at: $0) }
            }
        difference.changes = deletes + inserts + moves + updates
        return difference
    }
}

/// The indices of a longest strictly increasing subsequence.
///
/// - Complexity: O(n log n)
func longestIncreasingRun<Element: Comparable>(_ elements: [Element]) -> [Int] {
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: elements.count)
    for index in elements.indices {
        var low = 0
        var high = tails.count
        while low < high {
            let middle = (low + high) / 2
            if elements[tails[middle]] < elements[index] { low = middle + 1 } else { high = middle }
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
