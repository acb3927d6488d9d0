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

/// A section of a list: rows beside each other that have something in common.
struct ResultSection {
    /// The value that the rows have in common; null without sections. Where names are derived, the
    /// value of one of the rows that were in the section.
    let value: Value
    /// The name that was derived from the rows' values, where names are.
    let derivedName: String?
    var count: Int

    /// What the rows have in common, as text.
    var name: String { derivedName ?? value.plainText }

    /// What tells sections apart.
    var identity: Identity {
        if let derivedName { return .text(Array(derivedName.utf8)) }
        if case .string(let text) = value { return .text(Array(text.utf8)) }
        return .value(value)
    }

    /// Text by its bytes, by which sections are divided; as strings some would be equal.
    enum Identity: Hashable {
        case text([UInt8])
        case value(Value)
    }
}

/// What makes the sections of a list.
enum Sectioning {
    /// One section has all rows, or none.
    case none
    /// The rows of one value of the first term of the order.
    case values
    /// Rows beside each other whose values have one name.
    case names((Value) -> String)

    /// A section of one row, with these keys.
    func section(for keys: [Value]) -> ResultSection {
        let value = value(of: keys)
        return ResultSection(value: value, derivedName: derivedName(of: value), count: 1)
    }

    /// What decides the section of a row with these keys.
    func value(of keys: [Value]) -> Value {
        if case .none = self { .null } else { keys.first ?? .null }
    }

    func derivedName(of value: Value) -> String? {
        if case .names(let name) = self { name(value) } else { nil }
    }

    var derivesNames: Bool {
        if case .names = self { true } else { false }
    }
}

extension StoreError {
    /// A section would be in two places.
    static let sectionComesBack = StoreError.invalidRequest(
        "The objects of one section name are not adjacent in the sort order.",
        remedy: "Sort by a property that keeps the objects of each section name together.")
}
