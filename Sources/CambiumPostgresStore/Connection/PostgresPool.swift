import CambiumEngine
import Dispatch
import Synchronization

/// The connections of a store. A reader takes one for itself; the writer has one that no other user
/// of this store uses.
final class PostgresPool: Sendable {
    typealias Loan = PostgresConnections.Loan

    private let setup: PostgresSetup
    /// The time that a caller waits for a connection if all are in use.
    private let waitLimit: Duration
    /// The connections of the server, or nil after the store was closed.
    private let connections: Shared<PostgresConnections?>
    /// The number of connections that this store uses.
    private let lent: LoanCount
    private let users: WorkingThreads
    private let writing = ThreadLock()

    init(
        _ settings: PostgresSettings, _ setup: PostgresSetup = PostgresSetup(),
        waitLimit: Duration = .seconds(30)
    ) {
        self.setup = setup
        self.waitLimit = waitLimit
        connections = Shared(PostgresConnections.shared(settings))
        lent = LoanCount()
        users = WorkingThreads()
    }

    /// The connections of the same store, for transactions that begin with settings. Writers with
    /// other settings do not wait for these.
    init(of pool: PostgresPool, with settings: TransactionSettings) {
        var setup = pool.setup
        setup.settings = settings
        self.setup = setup
        waitLimit = pool.waitLimit
        connections = pool.connections
        lent = pool.lent
        users = pool.users
    }

    /// Whether the calling thread is using a connection.
    var isUsedByCaller: Bool { users.includeCaller }

    /// Runs a body with a connection.
    ///
    /// - Throws: The error of the body, or of connecting.
    func withConnection<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        do {
            return try lending(body)
        } catch let error as PostgresError {
            throw error.storeError ?? error
        }
    }

    /// Runs a body with a connection, and throws the errors of the server and libpq as they are.
    func lending<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try users.noting {
            let loan = try lend()
            defer { giveBack(loan) }
            return try loan.using(body)
        }
    }

    /// Runs a body that only reads, or may run twice. It runs once more if the connection is lost,
    /// or if the table of a prepared statement was changed.
    ///
    /// - Parameter afterStalePlan: Called before it runs once more because of a changed table.
    func withReader<Result>(
        afterStalePlan: (PostgresConnection) throws -> Void = { _ in },
        _ body: (PostgresConnection) throws -> Result
    ) throws -> Result {
        func read(_ connection: PostgresConnection) throws -> Result {
            do {
                return try body(connection)
            } catch let error as PostgresError where error.isStalePlan {
                try afterStalePlan(connection)
                return try body(connection)
            }
        }
        do {
            return try lending(read)
        } catch let error as PostgresError where error.isOfLostConnection {
            try open().closeIdle()
            return try withConnection(read)
        } catch let error as PostgresError {
            throw error.storeError ?? error
        }
    }

    /// Runs a body without other writers of this store.
    func whileWriting<Result>(_ body: () throws -> Result) throws -> Result {
        try users.noting { try writing.withLock(body) }
    }

    /// Lends a connection, which is returned later.
    func lend() throws -> Loan {
        lent.begin()
        do {
            return try open().lend(setup, waitLimit)
        } catch {
            lent.end()
            throw error
        }
    }

    /// Lends a connection that has run some statements, the last of which may read.
    ///
    /// - Parameter take: Receives the rows that were read. If it throws, no connection is lent.
    func lend(
        after statements: [PostgresStatement], _ take: (PostgresRows) throws -> Void = { _ in }
    ) throws -> Loan {
        let loan = try lend()
        do {
            if let rows = try loan.using({ try $0.run(statements) }).last { try take(rows) }
            return loan
        } catch {
            giveBack(loan)
            throw error
        }
    }

    /// Takes a connection back.
    func giveBack(_ loan: Loan) {
        loan.source?.takeBack(loan)
        lent.end()
    }

    /// Closes the idle connections.
    func closeIdle() { connections.withLock { $0 }?.closeIdle() }

    private func open() throws -> PostgresConnections {
        guard let connections = connections.withLock({ $0 }) else { throw StoreError.closed }
        return connections
    }

    /// Hands out no connection any more.
    func close() {
        connections.withLock { $0 = nil }
    }

    /// Waits until all connections were given back.
    ///
    /// - Returns: Whether all connections were returned in time.
    func drain(for limit: Duration) -> Bool { lent.waitForNone(for: limit) }
}

/// The number of connections that are in use.
private final class LoanCount: Sendable {
    private struct State {
        var count = 0
        var waiters: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.count += 1 } }

    func end() {
        state.withLock { state in
            state.count -= 1
            if state.count > 0 { return }
            for waiter in state.waiters { waiter.signal() }
            state.waiters = []
        }
    }

    func waitForNone(for limit: Duration) -> Bool {
        let waiter = DispatchSemaphore(value: 0)
        let isOver = state.withLock { state in
            if state.count > 0 { state.waiters.append(waiter) }
            return state.count == 0
        }
        return isOver
            || waiter.wait(timeout: .now() + .milliseconds(limit.milliseconds)) == .success
    }
}

/// The connections of all stores with the same settings, such as the schemas of many tenants. They
/// are closed with the last of the stores.
final class PostgresConnections: Sendable {
    private let settings: PostgresSettings
    private let size: Int
    private let state = Mutex(State())
    /// The threads that use one already.
    private let users = WorkingThreads()
    /// The queue that closes connections that were idle for too long.
    private static let queue = DispatchQueue(label: "cambium.pool", qos: .utility)
    /// A connection that was idle for longer is checked first: its server, or the network between,
    /// may have dropped it silently.
    private static let askedAfter = Duration.seconds(30)
    /// A connection that was used within this time counts as connected.
    private static let lookedAtAfter = Duration.microseconds(100)

    private struct State {
        /// The last one was used last.
        var idle: [Idle] = []
        /// The number of connections, including the ones that are being opened.
        var count = 0
        var waiters: [Waiter] = []
        /// Whether idle connections will be closed.
        var isSweeping = false
    }

    /// An idle connection.
    private struct Idle {
        let loan: Loan
        let since = ContinuousClock.now
    }

    /// A connection that one user hands over to the next.
    struct Loan: @unchecked Sendable {
        // Safety: the connection is in the list of idle connections, or exactly one user has it.
        // The user returns it when no call is running on it.
        let connection: PostgresConnection
        fileprivate(set) var source: PostgresConnections?

        init(connection: PostgresConnection, source: PostgresConnections? = nil) {
            self.connection = connection
            self.source = source
        }

        /// Runs a body with the connection. The thread may take another one meanwhile.
        func using<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
            guard let source else { return try body(connection) }
            return try source.users.noting { try body(connection) }
        }
    }

    /// A thread that waits for a connection.
    private final class Waiter: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        let granted = Mutex<Loan?>(nil)
    }

    private init(_ settings: PostgresSettings) {
        self.settings = settings
        size = max(1, settings.poolSize)
    }

    // MARK: Sharing

    private struct Known {
        weak var connections: PostgresConnections?
    }

    private static let known = Mutex<[PostgresSettings: Known]>([:])

    /// The connections for some settings. They exist as long as a store uses them.
    static func shared(_ settings: PostgresSettings) -> PostgresConnections {
        known.withLock { known in
            if let connections = known[settings]?.connections { return connections }
            known = known.filter { $0.value.connections != nil }
            let connections = PostgresConnections(settings)
            known[settings] = Known(connections: connections)
            return connections
        }
    }

    // MARK: Lending

    /// - Throws: ``StoreError`` with `busy` if all are in use for too long; an error of connecting.
    func lend(_ setup: PostgresSetup, _ waitLimit: Duration) throws -> Loan {
        while true {
            // A thread that uses one and waits for another may wait for itself.
            let mayExceed = users.includeCaller
            let (idle, waiter) = state.withLock { state -> (Idle?, Waiter?) in
                if let idle = state.idle.popLast() { return (idle, nil) }
                if mayExceed || state.count < size {
                    state.count += 1
                    return (nil, nil)
                }
                let waiter = Waiter()
                state.waiters.append(waiter)
                return (nil, waiter)
            }
            guard var loan = try idle?.loan ?? waiter.flatMap({ try wait($0, waitLimit) }) else {
                return try connect(setup)
            }
            if !isGood(loan.connection, unusedFor: idle.map { .now - $0.since } ?? .zero) {
                forget()
                continue
            }
            loan.source = self
            loan.connection.setup = setup
            return loan
        }
    }

    /// Whether a connection can be used. It can if it is not too old and still connected.
    private func isGood(_ connection: PostgresConnection, unusedFor time: Duration) -> Bool {
        if isOld(connection) { return false }
        // Between faults in quick succession it is not checked: the check would take longer than
        // the time between them.
        if time < Self.lookedAtAfter { return true }
        if connection.wasLeft { return false }
        return time < Self.askedAfter || connection.answers(within: .seconds(5))
    }

    private func isOld(_ connection: PostgresConnection) -> Bool {
        settings.connectionLifetime.map { connection.openedAt + $0 < .now } ?? false
    }

    private func connect(_ setup: PostgresSetup) throws -> Loan {
        do {
            return Loan(connection: try PostgresConnection(settings, setup), source: self)
        } catch {
            forget()
            throw error
        }
    }

    /// - Returns: Nil if the caller may open a connection.
    private func wait(_ waiter: Waiter, _ limit: Duration) throws -> Loan? {
        let end = DispatchTime.now() + .milliseconds(limit.milliseconds)
        if waiter.semaphore.wait(timeout: end) == .timedOut {
            let isWaiting = state.withLock { state in
                let place = state.waiters.firstIndex { $0 === waiter }
                if let place { state.waiters.remove(at: place) }
                return place != nil
            }
            if isWaiting {
                throw StoreError(
                    code: .busy,
                    message: "All \(size) connections to the server were in use for "
                        + "\(limit).",
                    remedy: "Use fewer contexts at a time, or set a greater poolSize.")
            }
        }
        return waiter.granted.withLock { $0 }
    }

    /// Takes a connection back. One that is lost or too old, or in a transaction that could not be
    /// ended, is closed.
    func takeBack(_ loan: Loan) {
        guard loan.connection.isUsable, !isOld(loan.connection) else { return forget() }
        var loan = loan
        // Idle connections retain nothing.
        loan.source = nil
        loan.connection.setup = PostgresSetup()
        let kept = loan
        state.withLock { state in
            guard state.count <= size else {
                state.count -= 1
                return
            }
            guard !state.waiters.isEmpty else {
                state.idle.append(Idle(loan: kept))
                return sweepLater(&state)
            }
            let waiter = state.waiters.removeFirst()
            waiter.granted.withLock { $0 = kept }
            waiter.semaphore.signal()
        }
    }

    /// Notes that a connection was closed, so that a waiting caller may open one.
    private func forget() {
        state.withLock { state in
            guard !state.waiters.isEmpty, state.count <= size else {
                state.count -= 1
                return
            }
            state.waiters.removeFirst().semaphore.signal()
        }
    }

    func closeIdle() { closeIdle(unusedFor: .zero) }

    private func closeIdle(unusedFor time: Duration) {
        // They are closed outside the lock.
        let closed = state.withLock { state in
            let now = ContinuousClock.now
            let kept = state.idle.filter { now - $0.since < time }
            defer { state.idle = kept }
            state.count -= state.idle.count - kept.count
            return state.idle.filter { now - $0.since >= time }
        }
        withExtendedLifetime(closed) {}
    }

    /// Closes, after a time, the connections that stay idle.
    private func sweepLater(_ state: inout State) {
        guard let limit = settings.idleLimit, !state.isSweeping else { return }
        state.isSweeping = true
        Self.queue.asyncAfter(deadline: .now() + .milliseconds(limit.milliseconds + 1)) {
            [weak self] in
            self?.sweep(limit)
        }
    }

    private func sweep(_ limit: Duration) {
        closeIdle(unusedFor: limit)
        state.withLock { state in
            state.isSweeping = false
            if !state.idle.isEmpty { sweepLater(&state) }
        }
    }
}

/// A value that copies of a structure share.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }
}
