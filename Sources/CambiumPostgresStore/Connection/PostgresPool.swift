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
        var connections: [Slot] = []
        var isClosed = false
    }

    /// A connection on its way from one user to the next.
    private struct Slot: @unchecked Sendable {
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
            let connection = try take()
            // One that is lost, or in a transaction that could not be ended, is closed.
            defer { if connection.isUsable { giveBack(connection) } }
            return try body(connection)
        }
    }

    /// Runs a body with a connection while nobody else of this store writes.
    func withWriter<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try writing.withLock { try withConnection(body) }
    }

    private func take() throws -> PostgresConnection {
        let slot = try idle.withLock { idle -> Slot? in
            if idle.isClosed { throw StoreError.closed }
            return idle.connections.popLast()
        }
        return try slot?.connection ?? PostgresConnection(settings)
    }

    private func giveBack(_ connection: PostgresConnection) {
        let slot = Slot(connection: connection)
        idle.withLock { idle in
            if !idle.isClosed { idle.connections.append(slot) }
        }
    }

    func close() {
        idle.withLock { idle in
            idle.isClosed = true
            idle.connections = []
        }
    }
}
