import CambiumEngine
import Synchronization

/// The connections of a store. Who reads takes one for itself; who writes has one that nobody else
/// uses.
final class PostgresPool: Sendable {
    private let settings: PostgresSettings
    private let idle = Mutex<Idle>(Idle())
    private let users = WorkingThreads()
    private let writing = ThreadLock()

    private struct Idle: ~Copyable {
        var connections: [Loan] = []
        var isClosed = false
    }

    /// A connection on its way from one user to the next.
    struct Loan: @unchecked Sendable {
        // Safety: it is in the list of idle ones, or one user has it, who gives it back when no call is
        // running on it.
        let connection: PostgresConnection
    }

    init(_ settings: PostgresSettings) {
        self.settings = settings
    }

    /// Whether the thread that asks is using a connection.
    var isUsedByCaller: Bool { users.includeCaller || writing.isHeldByCaller }

    /// Runs a body with a connection.
    ///
    /// - Throws: What the body throws, and what connecting throws.
    func withConnection<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try users.noting {
            let loan = try lend()
            defer { giveBack(loan) }
            return try body(loan.connection)
        }
    }

    /// Runs a body with a connection while nobody else of this store writes.
    func withWriter<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try writing.withLock { try withConnection(body) }
    }

    /// Hands over a connection, which is given back later.
    func lend() throws -> Loan {
        let known = try idle.withLock { idle -> Loan? in
            if idle.isClosed { throw StoreError.closed }
            return idle.connections.popLast()
        }
        return try known ?? Loan(connection: PostgresConnection(settings))
    }

    /// Takes a connection back. One that is lost, or in a transaction that could not be ended, is
    /// closed.
    func giveBack(_ loan: Loan) {
        guard loan.connection.isUsable else { return }
        idle.withLock { idle in
            if !idle.isClosed { idle.connections.append(loan) }
        }
    }

    func close() {
        idle.withLock { idle in
            idle.isClosed = true
            idle.connections = []
        }
    }
}
