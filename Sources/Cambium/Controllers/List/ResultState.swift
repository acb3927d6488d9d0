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
    /// The place of a row, the receiver being where sections start.
    func path(of index: Int) -> ItemPath {
        let section = partitionIndex(count) { self[$0] > index } - 1
        return ItemPath(section: section, item: index - self[section])
    }
}
