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
