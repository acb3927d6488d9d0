import CambiumEngine
import CambiumSQLite
import Synchronization

/// A read transaction that is held open, so that what it sees stays as it is.
final class StorePin: Sendable {
    private let connection: LockedConnection
    private let end: ContinuousClock.Instant
    private let lifetime: Duration
    private let largestLog: Int
    private let expiry = Mutex<QueryGenerationExpired?>(nil)

    /// - Parameter connection: One that is reading already.
    init(_ connection: LockedConnection, _ options: StoreOptions) {
        self.connection = connection
        lifetime = options.queryGenerationLifetime
        largestLog = options.queryGenerationLogSize
        end = .now + lifetime
    }

    /// Reads what the transaction sees.
    func reading<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        expire(logSize: 0)
        if let expired = expiry.withLock({ $0 }) { throw expired }
        return try connection.withLock(body)
    }

    /// Ends the transaction where it has been held for too long.
    ///
    /// - Parameter logSize: The size of the write-ahead log, which grows as long as somebody reads
    ///   from its beginning.
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

    /// Whether the thread that asks is reading.
    var isUsedByCaller: Bool { connection.isUsedByCaller }

    func close() {
        connection.close()
    }
}
