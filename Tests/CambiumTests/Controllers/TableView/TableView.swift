import Cambium

/// A view of rows in sections, which refuses batches of updates for the reasons for which
/// `UITableView` does, and goes on showing what it was not told to show anew.
struct TableView {
    /// What a cell shows: a row, and its values when the cell was made.
    struct Cell: Equatable, CustomStringConvertible {
        let id: ObjectID
        let content: String

        var description: String { "\(id.key) '\(content)'" }
    }

    struct Section: Equatable {
        let title: String
        var cells: [Cell]

        /// Which rows it has, whatever their cells show.
        fileprivate var rows: [ObjectID] { cells.map(\.id) }

        func hasRows(of other: Section) -> Bool {
            title.utf8.elementsEqual(other.title.utf8) && rows == other.rows
        }
    }

    /// What happens between `beginUpdates` and `endUpdates`. Old places count before all of it, new
    /// ones after it.
    struct Batch {
        var deletedSections: [Int] = []
        var insertedSections: [Int] = []
        var deletedRows: [ItemPath] = []
        var insertedRows: [ItemPath] = []
        var movedRows: [(from: ItemPath, to: ItemPath)] = []
        var reloadedRows: [ItemPath] = []
    }

    /// What a table view throws as an `NSInternalInconsistencyException`.
    struct Inconsistency: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    private(set) var sections: [Section]

    /// Shows what the data source has, as `reloadData` does.
    init(_ source: [Section]) {
        sections = source
    }

    /// Performs a batch, after which the view must have the rows that the data source has.
    ///
    /// - Throws: An ``Inconsistency`` where a table view throws, or shows something else.
    mutating func update(_ batch: Batch, to source: [Section]) throws(Inconsistency) {
        try checkSections(batch, source)
        try checkRows(batch, source)
        var shown: [Section] = []
        var staying = sections.indices.filter { !batch.deletedSections.contains($0) }[...]
        for (index, section) in source.enumerated() {
            if batch.insertedSections.contains(index) {
                shown.append(section)
                continue
            }
            guard let old = staying.popFirst() else {
                throw Inconsistency("section \(index) comes from nowhere")
            }
            shown.append(
                Section(
                    title: sections[old].title,
                    cells: try cells(ofSection: old, now: index, batch, section)))
        }
        sections = shown
        guard hasRows(of: source) else {
            throw Inconsistency("the view shows \(shown) instead of \(source)")
        }
    }

    /// Whether the view has these rows. What the cells show may be told a moment later.
    func hasRows(of source: [Section]) -> Bool {
        sections.count == source.count
            && zip(sections, source).allSatisfy { $0.hasRows(of: $1) }
    }

    private func checkSections(_ batch: Batch, _ source: [Section]) throws(Inconsistency) {
        func check(_ places: [Int], _ count: Int, _ name: String) throws(Inconsistency) {
            guard Set(places).count == places.count else {
                throw Inconsistency("a section is \(name) twice: \(places)")
            }
            guard places.allSatisfy((0..<count).contains) else {
                throw Inconsistency("a section is \(name) that is none: \(places) of \(count)")
            }
        }
        try check(batch.deletedSections, sections.count, "deleted")
        try check(batch.insertedSections, source.count, "inserted")
        let expected =
            sections.count - batch.deletedSections.count + batch.insertedSections.count
        guard expected == source.count else {
            throw Inconsistency(
                "invalid number of sections: \(source.count), after \(sections.count) with "
                    + "\(batch.deletedSections) deleted and \(batch.insertedSections) inserted")
        }
    }

    private func checkRows(_ batch: Batch, _ source: [Section]) throws(Inconsistency) {
        func check(
            _ paths: [ItemPath], in sections: [Section], _ what: String
        ) throws(Inconsistency) {
            guard Set(paths).count == paths.count else {
                throw Inconsistency("a row \(what) twice: \(paths)")
            }
            for path in paths
            where !sections.indices.contains(path.section)
                || !sections[path.section].cells.indices.contains(path.item)
            {
                throw Inconsistency("a row \(what) that is none: \(path)")
            }
        }
        // A row is deleted, moved or reloaded, and inserted or moved to, and not two of them.
        try check(
            batch.deletedRows + batch.movedRows.map(\.from) + batch.reloadedRows, in: sections,
            "is taken out or reloaded")
        try check(
            batch.insertedRows + batch.movedRows.map(\.to), in: source, "is put in")
        let bound = batch.movedRows.map(\.from) + batch.reloadedRows
        guard !bound.contains(where: { batch.deletedSections.contains($0.section) }) else {
            throw Inconsistency("a row of a deleted section is moved or reloaded")
        }
        guard !batch.movedRows.contains(where: { batch.insertedSections.contains($0.to.section) })
        else { throw Inconsistency("a row is moved into an inserted section") }
    }

    /// The cells of a section that stays.
    private func cells(
        ofSection old: Int, now index: Int, _ batch: Batch, _ source: Section
    ) throws(Inconsistency) -> [Cell] {
        let former = sections[old].cells
        let taken = Set(
            (batch.deletedRows + batch.movedRows.map(\.from)).filter { $0.section == old }
                .map(\.item))
        let reloaded = Set(batch.reloadedRows.filter { $0.section == old }.map(\.item))
        let put = Set(
            (batch.insertedRows + batch.movedRows.map(\.to)).filter { $0.section == index }
                .map(\.item))
        let expected = former.count - taken.count + put.count
        guard expected == source.cells.count else {
            throw Inconsistency(
                "invalid number of rows in section \(index): \(source.cells.count), after "
                    + "\(former.count) with \(taken.count) taken out and \(put.count) put in")
        }
        var staying = former.indices.filter { !taken.contains($0) }[...]
        return source.cells.enumerated().map { item, cell in
            // Whoever comes or moves is shown as it is.
            if put.contains(item) { return cell }
            guard let place = staying.popFirst() else { return cell }
            return reloaded.contains(place) ? cell : former[place]
        }
    }
}

extension TableView.Batch {
    /// What ``FetchedResultsDifference/viewUpdates`` says.
    init(_ updates: FetchedResultsDifference<some ManagedObject>.ViewUpdates) {
        deletedSections = updates.deletedSections
        insertedSections = updates.insertedSections
        deletedRows = updates.deletedItems
        insertedRows = updates.insertedItems
        movedRows = updates.movedItems.map { ($0.from, $0.to) }
        reloadedRows = updates.reloadedItems
    }
}
