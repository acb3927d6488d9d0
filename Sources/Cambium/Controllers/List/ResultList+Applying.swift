extension ResultList {
    /// What a change of objects does to the list. A row is named once, by its index before.
    struct Edit {
        /// A row whose object has other values than those that decided its place.
        struct Rekeyed {
            let index: Int
            let keys: [Value]
            /// Whether the object itself changed, and not only what it references.
            let isChanged: Bool
        }

        /// How objects of the list look now.
        var looks: [(index: Int, seen: SeenState)] = []
        var removed: [Int] = []
        var inserted: [ResultEntry] = []
        /// Changed without any effect on their place.
        var touched: [Int] = []
        var rekeyed: [Rekeyed] = []

        /// Whether there is nothing to report.
        var isEmpty: Bool {
            removed.isEmpty && inserted.isEmpty && touched.isEmpty && rekeyed.isEmpty
        }
    }

    /// Makes the change and says how.
    ///
    /// - Throws: ``StoreError`` where a derived section name would be in two places; the list is as
    ///   it was then. Without derived names it throws nothing, so that no state has to be kept for
    ///   it, which would cost a copy of each chunk that changes.
    /// - Complexity: O(changed × log n) comparisons, a copy of the chunks that rows enter or leave,
    ///   and a reference for each chunk where somebody holds an earlier state.
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
        // Where those were that were there: they stand behind the new ones.
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

    /// Where a row is that was at an index.
    ///
    /// - Parameters:
    ///   - leaving: The indices of the rows that went.
    ///   - places: The indices, without those, of the rows before which others came.
    private static func index(_ index: Int, without leaving: [Int], with places: [Int]) -> Int {
        let left = index - partitionIndex(leaving.count) { leaving[$0] >= index }
        return left + partitionIndex(places.count) { places[$0] > left }
    }

    // MARK: Sections

    /// A section that comes.
    private struct NewSection {
        /// The number, until now, of the section before which it comes.
        let place: Int
        var section: ResultSection
    }

    /// Counts new rows in their sections.
    ///
    /// - Parameters:
    ///   - places: The indices of the rows before which they came.
    ///   - starts: Where the sections started before they came.
    /// - Returns: The sections that come, in order.
    private mutating func takeIn(
        _ entries: [ResultEntry], _ places: [Int], _ starts: [Int]
    ) throws -> [NewSection] {
        var new: [NewSection] = []
        // Rows in order are in sections in order: 2n + 1 stands for section n, 2n for one before it.
        var latest = 0
        for (entry, place) in zip(entries, places) {
            if case .none = sectioning {
                state.sections[0].count += 1
                continue
            }
            // The sections of the rows on both sides; between them may be some that were emptied.
            let before = place > 0 ? starts.path(of: place - 1).section : -1
            let after =
                place < starts[sections.count] ? starts.path(of: place).section : sections.count
            let candidates = max(before, 0)..<min(after + 1, sections.count)
            let found = candidates.first { has(sections[$0], entry.keys) }
            let target = found ?? newPlace(for: entry, between: before, and: after)
            let position = target * 2 + (found == nil ? 0 : 1)
            let isTorn = (found == nil && before == after) || position < latest
            // Only names can do that: by its value a row belongs to the section that has rows on
            // both sides of it, and rows in order are in sections in order.
            if isTorn, sectioning.derivesNames {
                throw StoreError.sectionComesBack
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

    /// Before which section a new one comes: between two that have rows, among those that were
    /// emptied and may get rows again.
    private func newPlace(for entry: ResultEntry, between before: Int, and after: Int) -> Int {
        let value = sectioning.value(of: entry.keys)
        return (before + 1..<max(before + 1, after)).first {
            follows(sections[$0].value, value)
        } ?? after
    }

    /// Puts new sections in, takes those out that have no rows any more, and says which.
    ///
    /// - Parameter emptied: Those that lost rows.
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
