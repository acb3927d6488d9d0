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

/// How an object looked when a controller last saw it, in eight bytes: the version of its row, or
/// where its values are not the row's, a hash of them.
struct SeenState: Hashable {
    private let bits: UInt64

    private static let valuesBit: UInt64 = 1 << 63

    private init(bits: UInt64) {
        self.bits = bits
    }

    /// What the object shows now.
    init(of object: ManagedObject) {
        // The parent of a child context may have other values than the row's.
        guard object.lifecycle == .clean, object.state.parentReader == nil,
            let record = object.record
        else {
            self.init(valuesOf: object)
            return
        }
        self.init(bits: UInt64(truncatingIfNeeded: record.version) & ~Self.valuesBit)
    }

    private init(valuesOf object: ManagedObject) {
        var hasher = Hasher()
        if let record = object.record {
            for (slot, kind) in object.entityDescription.shape.kinds.enumerated() {
                record.hash(slot, kind, into: &hasher)
            }
        }
        self.init(bits: UInt64(truncatingIfNeeded: hasher.finalize()) | Self.valuesBit)
        withExtendedLifetime(object.page) {}
    }

    private var isVersion: Bool { bits & Self.valuesBit == 0 }

    /// Looks at the object again.
    ///
    /// - Returns: Whether it may have other values than the last time.
    mutating func look(at object: ManagedObject) -> Bool {
        let now = SeenState(of: object)
        defer { self = now }
        if isVersion == now.isVersion { return self != now }
        // What was seen unsaved has become the row, or what was the row has got unsaved values.
        return isVersion ? !shows(object) : self != SeenState(valuesOf: object)
    }

    /// Whether a changed object has the values of the row that was seen.
    private func shows(_ object: ManagedObject) -> Bool {
        guard let base = object.extras?.snapshot, let record = object.record,
            UInt64(truncatingIfNeeded: base.record.version) == bits
        else { return false }
        return withExtendedLifetime((base.page, object.page)) {
            object.entityDescription.shape.kinds.enumerated().allSatisfy { slot, kind in
                record.isEqual(slot, kind, to: base.record)
            }
        }
    }
}
