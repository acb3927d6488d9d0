extension ResultList {
    /// One difference that leads from an earlier state of the list to the list as it is now.
    ///
    /// - Parameters:
    ///   - old: The sections of the earlier state. Their entries' keys may be those of now.
    ///   - history: What happened in between.
    /// - Complexity: O(n log n)
    func difference(from old: [Section], _ history: ResultHistory) -> Difference {
        var oldPaths: [ObjectIdentifier: ItemPath] = [:]
        for (section, content) in old.enumerated() {
            for (item, entry) in content.entries.enumerated() {
                oldPaths[ObjectIdentifier(entry.object)] = ItemPath(section: section, item: item)
            }
        }
        var inserts: [Difference.Change] = []
        var moves: [Difference.Change] = []
        var updates: [Difference.Change] = []
        for (section, content) in sections.enumerated() {
            let oldSection = sectionIndex(of: content.value, count: old.count) { old[$0].value }
            let staying = itemsThatStay(content, oldSection.found, oldPaths, history)
            for (item, entry) in content.entries.enumerated() {
                let id = ObjectIdentifier(entry.object)
                let path = ItemPath(section: section, item: item)
                guard let oldPath = oldPaths.removeValue(forKey: id) else {
                    inserts.append(.insert(entry.object, at: path))
                    continue
                }
                if !staying.contains(item) {
                    moves.append(.move(entry.object, from: oldPath, to: path))
                } else if history.updated.contains(id) || history.displaced.contains(id) {
                    updates.append(.update(entry.object, from: oldPath, to: path))
                }
            }
        }
        // What is left of the old places was not found again.
        let deletes = oldPaths.values.sorted().map { path in
            Difference.Change.delete(old[path.section].entries[path.item].object, at: path)
        }
        var difference = sectionDifference(from: old.map(\.value))
        difference.changes = deletes + inserts + moves + updates
        return difference
    }

    /// The items of a section that were in it before and need not move. Those that no difference
    /// displaced have kept their order; between two of them stay as many others as can.
    private func itemsThatStay(
        _ section: Section, _ oldSection: Int?, _ oldPaths: [ObjectIdentifier: ItemPath],
        _ history: ResultHistory
    ) -> Set<Int> {
        guard let oldSection else { return [] }
        var staying: Set<Int> = []
        var run: [(item: Int, oldItem: Int)] = []
        var lower = -1
        func close(at upper: Int) {
            let fitting = run.filter { lower < $0.oldItem && $0.oldItem < upper }
            for index in longestRun(
                fitting.count, comesBefore: { fitting[$0].oldItem < fitting[$1].oldItem })
            {
                staying.insert(fitting[index].item)
            }
            run = []
            lower = upper
        }
        for (item, entry) in section.entries.enumerated() {
            let id = ObjectIdentifier(entry.object)
            guard let path = oldPaths[id], path.section == oldSection else { continue }
            if history.displaced.contains(id) {
                run.append((item, path.item))
            } else {
                close(at: path.item)
                staying.insert(item)
            }
        }
        close(at: .max)
        return staying
    }
}
