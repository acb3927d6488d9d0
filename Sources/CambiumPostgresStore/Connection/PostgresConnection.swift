import CPostgres
import CambiumEngine
import CambiumModel
import CambiumRecords

/// A statement with its parameters.
struct PostgresStatement: Sendable {
    let sql: String
    var parameters = PostgresParameters()
    /// Whether a transaction begins. If so, the connection sends the limits of its user with it.
    var beginsTransaction = false

    init(_ sql: String, _ parameters: PostgresParameters = PostgresParameters()) {
        self.sql = sql
        self.parameters = parameters
    }
}

/// One connection to a server. One thread at a time uses it.
final class PostgresConnection {
    // Safety: closed in `deinit` only.
    let handle: OpaquePointer
    private let settings: PostgresSettings
    /// The statements that the server has prepared for this connection, with their names.
    private var prepared: [PreparedKey: String] = [:]
    /// The number of statements prepared on the server, with the forgotten ones.
    private var preparedCount = 0
    private var errorCount = 0
    /// The statements that have returned few rows when they ran last.
    var short: Set<String> = []
    /// Whether some data is not sent yet.
    var hasUnsent = false
    /// The statement that begins a transaction. It is sent with the transaction's first statements.
    var beginning: PostgresStatement?
    /// The time at which the connection was opened.
    let openedAt = ContinuousClock.now
    /// The number of round trips to the server.
    var roundTrips = 0
    /// The setup by the current user of the connection.
    var setup: PostgresSetup
    /// Whether the connection can be used again. It can if it is not lost, and no transaction is
    /// open.
    var isUsable: Bool {
        PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE
    }

    private struct PreparedKey: Hashable {
        let sql: String
        let types: [Oid]

        /// The name depends on the statement alone. A numbered name could belong to another
        /// statement. Behind a pooler, another program may have prepared a statement under the same
        /// number on this connection, such as one that begins another kind of transaction.
        ///
        /// - Parameter errors: The number of times that the connection has discarded its prepared
        ///   statements.
        func name(after errors: Int) -> String {
            let types = types.map(String.init).joined(separator: ",")
            return "cambium_\(SHA256.hexadecimal(of: "\(types) \(sql)").prefix(32))_\(errors)"
        }
    }

    private static let maximumPrepared = 500

    /// Connects.
    ///
    /// - Throws: ``PostgresError`` if the server cannot be reached or rejects the connection.
    init(
        _ settings: PostgresSettings, _ setup: PostgresSetup = PostgresSetup()
    ) throws(PostgresError) {
        self.settings = settings
        self.setup = setup
        let options = try settings.connectionOptions(setup)
        let opened = Self.withTexts(options.map(\.keyword)) { keywords in
            Self.withTexts(options.map(\.value)) { PQconnectdbParams(keywords, $0, 1) }
        }
        guard let opened else {
            throw PostgresError(message: "There is no memory for a connection.")
        }
        guard PQstatus(opened) == CONNECTION_OK else {
            defer { PQfinish(opened) }
            throw PostgresError(
                ofLibrary: PQerrorMessage(opened), isDisconnection: true, isOfConnecting: true)
        }
        handle = opened
        cambium_ignore_notices(handle)
        // The server's errors, as libpq keeps them, contain no values.
        PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
        PQsetnonblocking(handle, 1)
    }

    /// Calls the body with texts as C has them, and nil behind the last.
    private static func withTexts<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        var places: [Int] = []
        for text in texts {
            places.append(bytes.count)
            bytes += text.utf8CString
        }
        return bytes.withUnsafeBufferPointer { buffer in
            // Safety: the positions are in the buffer, which is valid during the call.
            let pointers = places.map { place in buffer.baseAddress.map { $0 + place } } + [nil]
            return body(pointers)
        }
    }

    deinit {
        PQfinish(handle)
    }

    /// The number of the server's version, such as 150018.
    var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// A setting that the server reports to its clients, such as `server_encoding`.
    func serverSetting(_ name: String) -> String? {
        // Safety: a text of the connection's, or nil.
        PQparameterStatus(handle, name).map { String(cString: $0) }
    }

    // MARK: Statements

    /// Sends statements together and waits for all of them, in one round trip. If one fails, the
    /// later ones do not run.
    ///
    /// - Parameter interruption: Ends the work early with an error, if requested.
    func run(
        _ statements: [PostgresStatement], interruption: Interruption? = nil
    ) throws(PostgresError) -> [PostgresRows] {
        guard !statements.isEmpty else { return [] }
        if preparedCount > Self.maximumPrepared, PQtransactionStatus(handle) == PQTRANS_IDLE {
            // This is sent alone, because the statement that begins a transaction has to be the
            // first.
            roundTrips += 1
            _ = try exchange([PostgresStatement("DEALLOCATE ALL")], nil, nil)
            (prepared, preparedCount) = ([:], 0)
        }
        roundTrips += 1
        let beginning = beginning.take().map { [$0] } ?? []
        if needsTransaction(beginning + statements) {
            return try runInTransaction(statements, interruption)
        }
        let rows = try watched(beginning + statements, interruption)
        return Array(rows.dropFirst(beginning.count))
    }

    /// Whether the statements would run without the required settings.
    private func needsTransaction(_ statements: [PostgresStatement]) -> Bool {
        !setup.settings.isEmpty && PQtransactionStatus(handle) == PQTRANS_IDLE
            && !statements.contains(where: \.beginsTransaction)
    }

    private func runInTransaction(
        _ statements: [PostgresStatement], _ interruption: Interruption?
    ) throws(PostgresError) -> [PostgresRows] {
        do {
            let rows = try watched(
                [Self.begin(isReadOnly: false)] + statements + [PostgresStatement("COMMIT")],
                interruption)
            return Array(rows.dropFirst().dropLast())
        } catch {
            _ = try? watched([PostgresStatement("ROLLBACK")], nil)
            throw error
        }
    }

    private func watched(
        _ statements: [PostgresStatement], _ interruption: Interruption?
    ) throws(PostgresError) -> [PostgresRows] {
        guard let watch = setup.watch else { return try exchange(statements, interruption, nil) }
        let trip = WatchedTrip(statements, setup.settings, number: watch.nextTrip())
        defer { watch.notify(trip) }
        return try exchange(statements, interruption, trip)
    }

    private func exchange(
        _ statements: [PostgresStatement], _ interruption: Interruption?, _ trip: WatchedTrip?
    ) throws(PostgresError) -> [PostgresRows] {
        let deadline = deadline(of: statements)
        guard PQenterPipelineMode(handle) == 1 else { throw failure() }
        defer { PQexitPipelineMode(handle) }
        let sent = try send(statements)
        var rows: [PostgresRows] = []
        var found: PostgresError?
        /// The next result. A server that ends the connection may have sent the reason.
        func next() throws(PostgresError) -> OpaquePointer? {
            do {
                return try self.next(interruption, deadline)
            } catch {
                if let found, found.isDisconnection { throw found }
                throw error
            }
        }
        for (sql, isSilent) in sent {
            // Each ends with nil.
            while let result = try next() {
                switch PQresultStatus(result) {
                case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                    let result = PostgresRows(result)
                    guard !isSilent else { continue }
                    rows.append(result)
                    trip?.ended(rowCount: result.rowCount)
                case PGRES_FATAL_ERROR:
                    if found == nil {
                        found = PostgresError(result, sql: sql)
                        trip?.ended(rowCount: 0)
                    }
                    PQclear(result)
                default: PQclear(result)  // not run, after one that failed
                }
            }
        }
        while let result = try next() {
            let isEnd = PQresultStatus(result) == PGRES_PIPELINE_SYNC
            PQclear(result)
            if isEnd { break }
        }
        guard let found else { return rows }
        // Statements that were not prepared must not count as prepared.
        prepared = [:]
        errorCount += 1
        throw noting(found, interruption)
    }

    /// An error of a statement, with the connection's information about it.
    func noting(_ error: PostgresError, _ interruption: Interruption?) -> PostgresError {
        var error = error
        error.isOverdue =
            error.state == PostgresError.cancelled && interruption?.isRequested != true
        return error.hiding(setup.settings)
    }

    func run(
        _ sql: String, _ parameters: PostgresParameters = PostgresParameters()
    ) throws(PostgresError) -> PostgresRows {
        // As many results as statements.
        try run([PostgresStatement(sql, parameters)])[0]
    }

    /// A sent statement, and whether its result is ignored: it prepares another one, or sets
    /// limits.
    private typealias Sent = (sql: String, isSilent: Bool)

    private func send(
        _ statements: [PostgresStatement]
    ) throws(PostgresError) -> [Sent] {
        var sent: [Sent] = []
        for statement in statements {
            try send(statement, &sent)
            guard statement.beginsTransaction else { continue }
            for setting in setup.beginning { try send(setting, &sent, isSilent: true) }
        }
        guard PQpipelineSync(handle) == 1 else { throw failure() }
        hasUnsent = true
        return sent
    }

    private func send(
        _ statement: PostgresStatement, _ sent: inout [Sent], isSilent: Bool = false
    ) throws(PostgresError) {
        guard settings.preparesStatements else {
            return try sendUnprepared(statement, &sent, isSilent: isSilent)
        }
        let (sql, parameters) = (statement.sql, statement.parameters)
        let count = Int32(parameters.count)
        let key = PreparedKey(sql: sql, types: parameters.types)
        let name: String
        if let known = prepared[key] {
            name = known
        } else {
            name = key.name(after: errorCount)
            preparedCount += 1
            guard PQsendPrepare(handle, name, sql, count, parameters.types) == 1 else {
                throw failure(sql)
            }
            sent.append((sql, true))
            prepared[key] = name
        }
        let isSent = parameters.withPointers { values, lengths, formats in
            PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw failure(sql) }
        sent.append((sql, isSilent))
    }

    private func sendUnprepared(
        _ statement: PostgresStatement, _ sent: inout [Sent], isSilent: Bool
    ) throws(PostgresError) {
        let (sql, parameters) = (statement.sql, statement.parameters)
        let isSent = parameters.withPointers { values, lengths, formats in
            PQsendQueryParams(
                handle, sql, Int32(parameters.count), parameters.types, values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw failure(sql) }
        sent.append((sql, isSilent))
    }

    /// The deadline of a statement outside of a transaction. In a transaction, the server itself
    /// limits the time.
    func deadline(of statements: [PostgresStatement]) -> ContinuousClock.Instant? {
        guard let limit = setup.statementTimeout, PQtransactionStatus(handle) == PQTRANS_IDLE,
            !statements.contains(where: \.beginsTransaction)
        else { return nil }
        return .now + limit
    }

    /// The time within which the server must end a statement after a request. After this time, the
    /// connection counts as lost.
    private static let grace = Duration.seconds(10)

    /// The time after which the server is asked again to end a statement. It ignores a request that
    /// arrives before the statement.
    private static let asksAgainAfter = Duration.milliseconds(200)

    /// The next result of the sent statements; nil at the end of a statement's results.
    func next(
        _ interruption: Interruption? = nil, _ deadline: ContinuousClock.Instant? = nil
    ) throws(PostgresError) -> OpaquePointer? {
        var waiting = Waiting(interruption, deadline)
        return try next(&waiting)
    }

    func next(_ waiting: inout Waiting) throws(PostgresError) -> OpaquePointer? {
        while true {
            try flush()
            if PQisBusy(handle) == 0 { return PQgetResult(handle) }
            try wait(&waiting)
        }
    }

    /// The reason why a wait for the server may end early.
    struct Waiting {
        fileprivate let interruption: Interruption?
        fileprivate let deadline: ContinuousClock.Instant?
        /// The time of the last request to the server to end the statement.
        fileprivate var cancelledAt: ContinuousClock.Instant?
        fileprivate var isLimited: Bool { interruption != nil || deadline != nil }

        init(_ interruption: Interruption?, _ deadline: ContinuousClock.Instant?) {
            (self.interruption, self.deadline) = (interruption, deadline)
        }
    }

    /// Sends as much as possible without waiting.
    func flush() throws(PostgresError) {
        guard hasUnsent else { return }
        let flushed = PQflush(handle)
        guard flushed >= 0 else { throw failure() }
        hasUnsent = flushed == 1
    }

    /// Waits a while for data from the server, and receives it. Asks the server to end the
    /// statement if that is requested.
    func wait(_ waiting: inout Waiting) throws(PostgresError) {
        let ready = cambium_wait(
            PQsocket(handle), hasUnsent ? 1 : 0, waiting.isLimited ? 20 : 1_000)
        guard ready >= 0 else { throw failure() }
        if ready > 0, PQconsumeInput(handle) == 0 { throw failure() }
        guard waiting.isLimited else { return }
        let (now, deadline) = (ContinuousClock.now, waiting.deadline)
        guard waiting.interruption?.isRequested == true || deadline.map({ $0 < now }) == true
        else { return }
        if ready == 0, let deadline, deadline + Self.grace < now {
            throw PostgresError(
                message: "The server no longer answers.", isDisconnection: true)
        }
        if waiting.cancelledAt.map({ $0 + Self.asksAgainAfter < now }) ?? true {
            waiting.cancelledAt = now
            cancel()
        }
    }

    /// Asks the server to end the current statement. The statement then fails.
    func cancel() {
        guard let request = PQgetCancel(handle) else { return }
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(request, &message, Int32(message.count))
        PQfreeCancel(request)
    }

    func failure(_ sql: String? = nil) -> PostgresError {
        PostgresError(
            ofLibrary: PQerrorMessage(handle), sql: sql,
            isDisconnection: PQstatus(handle) != CONNECTION_OK)
    }

    /// Whether the server answers in time.
    func answers(within limit: Duration) -> Bool {
        let (formerSetup, formerTrips) = (setup, roundTrips)
        defer { (setup, roundTrips) = (formerSetup, formerTrips) }
        setup = PostgresSetup(statementTimeout: limit)
        return (try? run([PostgresStatement("SELECT 1")])) != nil
    }

    /// Whether the server has ended the connection while it was idle.
    var wasLeft: Bool {
        guard cambium_wait(PQsocket(handle), 0, 0) != 0 else { return false }
        return PQconsumeInput(handle) == 0 || !isUsable
    }
}
