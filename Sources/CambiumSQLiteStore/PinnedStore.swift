import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQLite
import Synchronization

/// A reader of the rows of an SQLite store with a connection: of its current state, or of an
/// earlier one.
protocol SQLiteReading: SharedStore {
    var engine: SQLiteEngine { get }

    func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result
}

extension SQLiteReading {
    func externalData(named name: String) throws -> Data { try engine.externalData(named: name) }

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        try withReader { connection in
            try connection.interruptible(by: request.interruption) {
                try engine.fetch(request, on: connection, receive)
            }
        }
    }

    func count(_ request: RowRequest) throws -> Int {
        try withReader { try engine.count(request, on: $0) }
    }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        try withReader { connection in
            try connection.interruptible(by: request.interruption) {
                try engine.results(request, query, on: connection)
            }
        }
    }

    func members(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) throws -> [Int64: [LinkSet.Member]]? {
        try withReader { try engine.members(of: owners, relationship, on: $0) }
    }

    func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan {
        try withReader { try engine.plan(of: request, query, on: $0) }
    }
}

/// A store at an earlier commit.
final class PinnedStore: SQLiteReading {
    let engine: SQLiteEngine
    private let pin: StorePin

    init(_ engine: SQLiteEngine, _ pin: StorePin) {
        self.engine = engine
        self.pin = pin
    }

    deinit {
        engine.unpin(pin)
    }

    func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try pin.reading(body)
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

    /// Whether an open read transaction needs an earlier state of the store.
    var isPinned: Bool { pins.withLock { !$0.isEmpty } }

    /// Ends transactions that are held for too long, or that keep too large a log.
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
        // The last open read transaction has ended, so the files of large values that only earlier
        // states reference are deleted. If that fails, they are deleted when the store is opened
        // next.
        try? sweepExternalFiles()
    }
}

/// An open read transaction that keeps its state of the store readable.
final class StorePin: Sendable {
    private let connection: LockedConnection
    private let end: ContinuousClock.Instant
    private let lifetime: Duration
    private let largestLog: Int
    private let expiry = Mutex<QueryGenerationExpired?>(nil)

    /// - Parameter connection: A connection in a read transaction.
    init(_ connection: LockedConnection, _ options: StoreOptions) {
        self.connection = connection
        lifetime = options.queryGenerationLifetime
        largestLog = options.queryGenerationLogSize
        end = .now + lifetime
    }

    /// Reads in the transaction.
    func reading<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        expire(logSize: 0)
        if let expired = expiry.withLock({ $0 }) { throw expired }
        return try connection.withLock(body)
    }

    /// Ends the transaction if it has been held for too long.
    ///
    /// - Parameter logSize: The size of the write-ahead log. It grows as long as a transaction
    ///   reads from its beginning.
    func expire(logSize: Int) {
        let isTooLong = ContinuousClock.now > end
        guard isTooLong || logSize > largestLog else { return }
        let reason =
            isTooLong
            ? "it was held for longer than \(lifetime)"
            : "other contexts or processes have saved more than \(largestLog >> 20) MB meanwhile"
        expiry.withLock { expiry in
            if expiry != nil { return }
            expiry = QueryGenerationExpired(reason: reason)
        }
        close()
    }

    /// Whether the calling thread is reading.
    var isUsedByCaller: Bool { connection.isUsedByCaller }

    func close() {
        connection.close()
    }
}
