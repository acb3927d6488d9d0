/// An object on its way into a controller's results.
struct ResultEntry {
    let key: Int64
    /// The object; may be nil where the results keep none.
    let object: ManagedObject?
    /// The values of the order's terms; the first is the section's, where there are sections.
    let keys: [Value]
    /// How the object looked.
    let seen: SeenState

    func precedes(_ other: ResultEntry, _ order: ObjectOrder) -> Bool {
        order.precedes(keys, key, other.keys, other.key)
    }
}

extension ResultEntry {
    /// - Parameter seen: How the object looked; as it looks now where nobody says so.
    init(_ object: ManagedObject, keys: [Value], seen: SeenState? = nil) {
        self.init(
            key: object.key, object: object, keys: keys, seen: seen ?? SeenState(of: object))
    }
}

extension [ResultEntry] {
    /// The indices of the entries, in their order.
    func indices(inOrder order: ObjectOrder) -> [Int] {
        if count < 2 { return indices.map(\.self) }
        // Most of the comparisons are of numbers.
        var rows = indices.map { (bits: UInt64(0), index: $0) }
        if order.comparesFirstPlainly {
            let prefixes = SortPrefixes(of: lazy.map { $0.keys[0] })
            let mask: UInt64 = order.terms[0].isDescending ? .max : 0
            for index in indices { rows[index].bits = prefixes[self[index].keys[0]] ^ mask }
        }
        rows.sort { one, other in
            one.bits == other.bits
                ? self[one.index].precedes(self[other.index], order) : one.bits < other.bits
        }
        return rows.map(\.index)
    }
}
