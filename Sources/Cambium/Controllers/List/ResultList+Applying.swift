extension ResultList {
    /// The effect of changed objects on the list. Each row occurs once, with its old index.
    struct Edit {
        /// A row with changed sort values.
        struct Rekeyed {
            let index: Int
            let keys: [Value]
            /// Whether the object itself changed, not only a referenced object.
            let isChanged: Bool
        }

        /// The current states of objects in the list.
        var looks: [(index: Int, seen: SeenState)] = []
        var removed: [Int] = []
        var inserted: [ResultEntry] = []
        /// Rows that changed without any effect on their position.
        var touched: [Int] = []
        var rekeyed: [Rekeyed] = []

        /// Whether there is nothing to report.
        var isEmpty: Bool {
            removed.isEmpty && inserted.isEmpty && touched.isEmpty && rekeyed.isEmpty
        }
    }

    /// Applies the edit and returns the difference.
    ///
    /// - Throws: ``StoreError`` if a derived section name would occur in two places. After an
    ///   error, the list is unchanged. Without derived names, this never throws, and keeps no copy
    ///   of the old state, because a copy would contain each chunk that changes.
    /// - Complexity: O(changed × log n) comparisons. In addition, the chunks with inserted or
    ///   removed rows are copied, and each chunk is retained once if an earlier state is still in
    ///   use.
    mutating func apply(_ edit: Edit) throws -> Difference {
        guard sectioning.derivesNames else { return try change(edit) }
        let old = state
        do {
            return try change(edit)
        } catch {
            state = old
            directory = ChunkDirectory(of: old.rows)
            throw error
        }
    }

    private mutating func change(_ edit: Edit) throws -> Difference {
        for look in edit.looks { state.rows.setSeen(look.seen, at: look.index) }
        if edit.isEmpty { return Difference() }
        let oldStarts = state.sectionStarts()
        let staying = rowsThatStay(edit, oldStarts)
        var moved: [Edit.Rekeyed] = []
        var updated = edit.touched
        for (number, change) in edit.rekeyed.enumerated() {
            if !staying.contains(number) {
                moved.append(change)
            } else {
                state.rows.setKeys(change.keys, at: change.index)
                if change.isChanged { updated.append(change.index) }
            }
        }
        let deletes = edit.removed.sorted().compactMap { index in
            rows.object(at: index).map {
                Difference.Change.delete($0, at: oldStarts.path(of: index))
            }
        }
        let updates = updated.sorted().compactMap { index in
            rows.object(at: index).map { (object: $0, index: index) }
        }
        let leaving = (edit.removed + moved.map { $0.index }).sorted()
        var entries = edit.inserted
        for change in moved {
            entries.append(
                ResultEntry(
                    key: rows.key(at: change.index), object: rows.object(at: change.index),
                    keys: change.keys, seen: rows.seen(at: change.index)))
        }
        let sorted = entries.indices(inOrder: order)
        entries = sorted.map { entries[$0] }
        // The old index paths of moved rows; nil for inserted ones.
        let oldPaths = sorted.map { index in
            index < edit.inserted.count
                ? nil : oldStarts.path(of: moved[index - edit.inserted.count].index)
        }

        for index in leaving { state.sections[oldStarts.path(of: index).section].count -= 1 }
        let starts = leaving.isEmpty ? oldStarts : state.sectionStarts()
        state.rows.remove(at: leaving, &directory)
        let places = state.rows.insert(entries, &directory)
        let newSections = try takeIn(entries, places, starts)
        let emptied = leaving.map { oldStarts.path(of: $0).section }
        var difference = settleSections(newSections, emptied)
        if !newSections.isEmpty { try checkNames(of: sections) }

        let newStarts = state.sectionStarts()
        (difference.oldStarts, difference.newStarts) = (oldStarts, newStarts)
        var changes = deletes
        changes.reserveCapacity(deletes.count + entries.count + updates.count)
        for isMove in [false, true] {
            for (number, entry) in entries.enumerated() where isMove == (oldPaths[number] != nil) {
                guard let object = entry.object else { continue }
                let path = newStarts.path(of: places[number] + number)
                changes.append(
                    oldPaths[number].map { .move(object, from: $0, to: path) }
                        ?? .insert(object, at: path))
            }
        }
        for (object, index) in updates {
            changes.append(
                .update(
                    object, from: oldStarts.path(of: index),
                    to: newStarts.path(of: Self.index(index, without: leaving, with: places))))
        }
        difference.changes = changes
        return difference
    }

    /// Returns the new index of a row.
    ///
    /// - Parameters:
    ///   - leaving: The indices of the removed rows.
    ///   - places: The indices, after the removal, of the rows before which others were inserted.
    private static func index(_ index: Int, without leaving: [Int], with places: [Int]) -> Int {
        let left = index - partitionIndex(leaving.count) { leaving[$0] >= index }
        return left + partitionIndex(places.count) { places[$0] > left }
    }

    // MARK: Sections

    /// A section to insert.
    private struct NewSection {
        /// The old index of the section before which it is inserted.
        let place: Int
        var section: ResultSection
    }

    /// Counts inserted rows in their sections.
    ///
    /// - Parameters:
    ///   - places: The indices of the rows before which they were inserted.
    ///   - starts: The start indices of the sections before the insertion.
    /// - Returns: The new sections, in order.
    private mutating func takeIn(
        _ entries: [ResultEntry], _ places: [Int], _ starts: [Int]
    ) throws -> [NewSection] {
        var new: [NewSection] = []
        // Sorted rows have sorted sections: 2n + 1 means section n, 2n means a new section before
        // it.
        var latest = 0
        for (entry, place) in zip(entries, places) {
            if case .none = sectioning {
                state.sections[0].count += 1
                continue
            }
            // The sections of the rows on both sides. Sections between them may have been emptied.
            let before = place > 0 ? starts.path(of: place - 1).section : -1
            let after =
                place < starts[sections.count] ? starts.path(of: place).section : sections.count
            let candidates = max(before, 0)..<min(after + 1, sections.count)
            let found = candidates.first { has(sections[$0], entry.keys) }
            let target = found ?? newPlace(for: entry, between: before, and: after)
            let position = target * 2 + (found == nil ? 0 : 1)
            let isTorn = (found == nil && before == after) || position < latest
            // Only derived names can cause this: by its value, a row belongs to the section on both
            // sides of it, and sorted rows have sorted sections.
            if isTorn, sectioning.derivesNames {
                throw StoreError.sectionNotContiguous
            }
            latest = position
            if let found {
                state.sections[found].count += 1
            } else if let last = new.last, last.place == target, has(last.section, entry.keys) {
                new[new.count - 1].section.count += 1
            } else {
                new.append(NewSection(place: target, section: sectioning.section(for: entry.keys)))
            }
        }
        return new
    }

    /// Returns the index of the section before which a new one is inserted. Between two sections
    /// with rows, there may be emptied ones that get rows again.
    private func newPlace(for entry: ResultEntry, between before: Int, and after: Int) -> Int {
        let value = sectioning.value(of: entry.keys)
        return (before + 1..<max(before + 1, after)).first {
            follows(sections[$0].value, value)
        } ?? after
    }

    /// Inserts new sections, removes empty ones, and returns the difference.
    ///
    /// - Parameter emptied: The sections that lost rows.
    private mutating func settleSections(_ new: [NewSection], _ emptied: [Int]) -> Difference {
        var difference = Difference()
        if case .none = sectioning { return difference }
        guard !new.isEmpty || emptied.contains(where: { sections[$0].count == 0 }) else {
            return difference
        }
        var settled: [ResultSection] = []
        var next = 0
        for index in 0...sections.count {
            while next < new.count, new[next].place == index {
                difference.insertedSections.append(
                    .init(index: settled.count, section: new[next].section))
                settled.append(new[next].section)
                next += 1
            }
            guard index < sections.count else { break }
            if sections[index].count > 0 {
                settled.append(sections[index])
            } else {
                difference.deletedSections.append(.init(index: index, section: sections[index]))
            }
        }
        state.sections = settled
        return difference
    }
}
