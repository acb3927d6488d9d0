import CambiumRecords

/// The links of an object's relationships, by the numbers of those.
///
/// An array with gaps: the numbers are small, and hashing one would take longer than the rest of
/// what is done to a set of links.
struct LinkTable {
    private var sets: [LinkSet?] = []

    var isEmpty: Bool { sets.allSatisfy { $0 == nil } }

    var keys: [Int] { sets.indices.filter { sets[$0] != nil } }

    var values: [LinkSet] { sets.compactMap(\.self) }

    subscript(ordinal: Int) -> LinkSet? {
        get { ordinal < sets.count ? sets[ordinal] : nil }
        // In place: a set that is taken out and put back would be copied when it is changed.
        _modify {
            makeRoom(for: ordinal)
            yield &sets[ordinal]
        }
    }

    /// Makes sure that a relationship has links, which can be changed.
    ///
    /// - Parameter isOrdered: Whether the relationship keeps an order.
    @inline(__always)
    mutating func prepare(_ ordinal: Int, isOrdered: Bool) {
        makeRoom(for: ordinal)
        if sets[ordinal] == nil { sets[ordinal] = LinkSet(isOrdered: isOrdered) }
    }

    @inline(__always)
    private mutating func makeRoom(for ordinal: Int) {
        while sets.count <= ordinal { sets.append(nil) }
    }
}

extension LinkTable: Sequence {
    func makeIterator() -> some IteratorProtocol<(key: Int, value: LinkSet)> {
        sets.enumerated().lazy.compactMap { ordinal, links in
            links.map { (key: ordinal, value: $0) }
        }.makeIterator()
    }
}

extension LinkTable: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (Int, LinkSet)...) {
        for (ordinal, links) in elements { self[ordinal] = links }
    }
}
