/// The results of a controller, and what finds and changes them.
///
/// Which class its objects are of is of no account to it: code for any class would look up types
/// at run time, for each of its steps.
struct ResultList {
    typealias Difference = FetchedResultsDifference<ManagedObject>

    let sectioning: Sectioning
    var state: ResultState
    var directory = ChunkDirectory()

    init(
        order: ObjectOrder, sectioning: Sectioning, chunkSize: Int = 512,
        source: ResultSource? = nil
    ) {
        self.sectioning = sectioning
        state = ResultState(
            rows: ResultRows(order: order, chunkSize: chunkSize, source: source), sections: [])
    }

    var rows: ResultRows { state.rows }
    var sections: [ResultSection] { state.sections }
    var order: ObjectOrder { state.rows.order }

    /// Takes over the results of a fetch.
    ///
    /// - Parameter kept: Sections that they may be in, which need not be worked out then.
    /// - Throws: ``StoreError`` where a derived section name comes back after another one.
    mutating func reset(
        to fetched: [ResultEntry], dividedAs kept: [SectionCache.Section]? = nil
    ) throws {
        // They come in the order of the store's values; an object that the context had already may
        // have others.
        // Alone: a closure that has the list copies it for each comparison.
        let order = order
        let isSorted = zip(fetched, fetched.dropFirst()).allSatisfy { $0.precedes($1, order) }
        let sorted = isSorted ? fetched : fetched.indices(inOrder: order).map { fetched[$0] }
        let known = kept.flatMap { divide(sorted, as: $0) }
        let sections = try known ?? makeSections(sorted)
        state.rows.reset(to: sorted, &directory)
        state.sections = sections
    }

    private func makeSections(_ sorted: [ResultEntry]) throws -> [ResultSection] {
        if case .none = sectioning {
            return [ResultSection(value: .null, derivedName: nil, count: sorted.count)]
        }
        var sections: [ResultSection] = []
        for entry in sorted {
            if let last = sections.last, has(last, entry.keys) {
                sections[sections.count - 1].count += 1
            } else {
                sections.append(sectioning.section(for: entry.keys))
            }
        }
        try checkNames(of: sections)
        return sections
    }

    // MARK: Places

    /// The index of an object's row.
    ///
    /// - Complexity: O(log n), and the search of a chunk.
    func index(of object: ManagedObject) -> Int? {
        index(of: object.key).flatMap { rows.has(object, at: $0) ? $0 : nil }
    }

    func index(of key: Int64) -> Int? {
        directory.index(of: key, in: rows)
    }

    func path(of object: ManagedObject) -> ItemPath? {
        index(of: object).map { state.sectionStarts().path(of: $0) }
    }

    // MARK: Sections

    /// Whether the section of a value comes after that of another.
    func follows(_ one: Value, _ other: Value) -> Bool {
        guard let term = order.terms.first else { return false }
        let result = term.order(one, other)
        if result != 0 { return result > 0 }
        // Texts that the order takes to be equal are sections beside each other, by their bytes.
        let bytes = one.order(relativeTo: other)
        return term.isDescending ? bytes < 0 : bytes > 0
    }

    /// Whether a row with these keys belongs to a section, if it is beside it.
    func has(_ section: ResultSection, _ keys: [Value]) -> Bool {
        let value = sectioning.value(of: keys)
        if section.value.order(relativeTo: value) == 0 { return true }
        guard let name = section.derivedName else { return false }
        return sectioning.derivedName(of: value)?.isSame(name) == true
    }

    /// Refuses sections of one derived name in two places.
    func checkNames(of sections: [ResultSection]) throws {
        guard sectioning.derivesNames else { return }
        var names: Set<[UInt8]> = []
        for section in sections where section.count > 0 {
            guard names.insert(Array(section.name.utf8)).inserted else {
                throw StoreError.sectionComesBack
            }
        }
    }
}

extension String {
    /// Whether both are the same bytes, which `==` does not ask for.
    func isSame(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
