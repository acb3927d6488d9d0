import CambiumEngine
import CambiumModel
import CambiumRecords

/// A store as it was at a commit.
final class PinnedStore: SharedStore {
    private let base: SQLiteEngine
    private let pin: StorePin

    init(_ base: SQLiteEngine, _ pin: StorePin) {
        self.base = base
        self.pin = pin
    }

    deinit {
        base.unpin(pin)
    }

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        try pin.reading { try base.fetch(request, on: $0, receive) }
    }

    func count(_ request: RowRequest) throws -> Int {
        try pin.reading { try base.count(request, on: $0) }
    }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        try pin.reading { try base.results(request, query, on: $0) }
    }

    func members(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) throws -> [Int64: [LinkSet.Member]]? {
        try pin.reading { try base.members(of: owners, relationship, on: $0) }
    }

    func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan {
        try pin.reading { try base.plan(of: request, query, on: $0) }
    }
}

extension SQLiteEngine {
    var keepsGenerations: Bool { readers != nil }

    func pin() throws -> any SharedStore {
        guard let readers else { throw StoreError.closed }
        let reader = try readers.makeReader()
        try reader.withLock { try $0.beginReading() }
        let pin = StorePin(reader, options)
        pins.withLock { $0.append(pin) }
        return PinnedStore(self, pin)
    }

    /// Whether somebody reads the store as it was.
    var isPinned: Bool { pins.withLock { !$0.isEmpty } }

    /// Ends what was held for too long, or holds too much of the log.
    func expirePins(logSize: Int) {
        for pin in pins.withLock({ $0 }) { pin.expire(logSize: logSize) }
    }

    func unpin(_ pin: StorePin) {
        pin.close()
        let isLast = pins.withLock { pins in
            pins.removeAll { $0 === pin }
            return pins.isEmpty
        }
        guard isLast else { return }
        // Files of large values that only the past leads to go with the last of it. What stays is
        // removed when the store is opened next.
        try? sweepExternalFiles()
    }
}
