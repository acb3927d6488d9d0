import CPostgres
import CambiumEngine
import CambiumModel
import CambiumRecords

/// A statement with its parameters.
struct PostgresStatement: Sendable {
    let sql: String
    var parameters = PostgresParameters()

    init(_ sql: String, _ parameters: PostgresParameters = PostgresParameters()) {
        self.sql = sql
        self.parameters = parameters
    }
}

/// One connection to a server. One thread at a time uses it.
final class PostgresConnection {
    // Safety: closed in `deinit` only.
    private let handle: OpaquePointer
    private let settings: PostgresSettings
    /// The statements that the server has prepared for this connection, with their names.
    private var prepared: [PreparedKey: String] = [:]
    private var preparedCount = 0
    /// Whether what is to be sent has not all left yet.
    private var hasUnsent = false
    /// How often something was sent and then waited for.
    private(set) var roundTrips = 0
    /// Whether the connection can be used again: it is not lost, and no transaction was left open.
    var isUsable: Bool {
        PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE
    }

    private struct PreparedKey: Hashable {
        let sql: String
        let types: [Oid]
    }

    private static let maximumPrepared = 500

    /// Connects.
    ///
    /// - Throws: ``PostgresError`` where the server cannot be reached or refuses.
    init(_ settings: PostgresSettings) throws(PostgresError) {
        self.settings = settings
        guard let opened = PQconnectdb(settings.connectionText) else {
            throw PostgresError(message: "There is no memory for a connection.")
        }
        guard PQstatus(opened) == CONNECTION_OK else {
            defer { PQfinish(opened) }
            throw PostgresError(ofLibrary: PQerrorMessage(opened), isDisconnection: true)
        }
        handle = opened
        cambium_ignore_notices(handle)
        PQsetnonblocking(handle, 1)
    }

    deinit {
        PQfinish(handle)
    }

    /// The number of the server's version, such as 150018.
    var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// A setting that the server tells its clients, such as `server_encoding`.
    func serverSetting(_ name: String) -> String? {
        // Safety: a text of the connection's, or nil.
        PQparameterStatus(handle, name).map { String(cString: $0) }
    }

    // MARK: Statements

    /// Sends statements in one go and waits for all of them: one round trip. Where one fails, those
    /// after it are not run.
    ///
    /// - Parameter interruption: Ends the work early, with an error, where it is requested.
    func run(
        _ statements: [PostgresStatement], interruption: Interruption? = nil
    ) throws(PostgresError) -> [PostgresRows] {
        guard !statements.isEmpty else { return [] }
        guard PQenterPipelineMode(handle) == 1 else { throw failure() }
        defer { PQexitPipelineMode(handle) }
        roundTrips += 1
        var sent: [(sql: String, isPreparation: Bool)] = []
        for statement in statements { try send(statement, &sent) }
        guard PQpipelineSync(handle) == 1 else { throw failure() }
        hasUnsent = true
        var rows: [PostgresRows] = []
        var found: PostgresError?
        for (sql, isPreparation) in sent {
            // Each ends with nil.
            while let result = try next(interruption) {
                switch PQresultStatus(result) {
                case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                    let result = PostgresRows(result)
                    if !isPreparation { rows.append(result) }
                case PGRES_FATAL_ERROR:
                    if found == nil { found = PostgresError(result, sql: sql) }
                    PQclear(result)
                default: PQclear(result)  // not run, after one that failed
                }
            }
        }
        while let result = try next(interruption) {
            let isEnd = PQresultStatus(result) == PGRES_PIPELINE_SYNC
            PQclear(result)
            if isEnd { break }
        }
        guard let found else { return rows }
        // Of those whose preparation was not run none may be thought to be there.
        prepared = [:]
        throw found
    }

    func run(
        _ sql: String, _ parameters: PostgresParameters = PostgresParameters()
    ) throws(PostgresError) -> PostgresRows {
        // As many results as statements.
        try run([PostgresStatement(sql, parameters)])[0]
    }

    private func send(
        _ statement: PostgresStatement, _ sent: inout [(sql: String, isPreparation: Bool)]
    ) throws(PostgresError) {
        let (sql, parameters) = (statement.sql, statement.parameters)
        let count = Int32(parameters.count)
        guard settings.preparesStatements else {
            let isSent = parameters.withPointers { values, lengths, formats in
                PQsendQueryParams(
                    handle, sql, count, parameters.types, values, lengths, formats, 1)
            }
            guard isSent == 1 else { throw failure(sql) }
            sent.append((sql, false))
            return
        }
        let key = PreparedKey(sql: sql, types: parameters.types)
        let name: String
        if let known = prepared[key] {
            name = known
        } else {
            preparedCount += 1
            name = "cambium_\(preparedCount)"
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
        sent.append((sql, false))
    }

    /// The next result of what was sent; nil at the end of a statement's.
    private func next(_ interruption: Interruption?) throws(PostgresError) -> OpaquePointer? {
        var isCancelled = false
        while true {
            if hasUnsent {
                let flushed = PQflush(handle)
                guard flushed >= 0 else { throw failure() }
                hasUnsent = flushed == 1
            }
            if PQisBusy(handle) == 0 { return PQgetResult(handle) }
            let waits: Int32 = interruption == nil || isCancelled ? 60_000 : 20
            let ready = cambium_wait(PQsocket(handle), hasUnsent ? 1 : 0, waits)
            guard ready >= 0 else { throw failure() }
            if ready > 0, PQconsumeInput(handle) == 0 { throw failure() }
            if let interruption, interruption.isRequested, !isCancelled {
                isCancelled = true
                cancel()
            }
        }
    }

    /// Asks the server to end the statement that runs, which fails then.
    private func cancel() {
        guard let request = PQgetCancel(handle) else { return }
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(request, &message, Int32(message.count))
        PQfreeCancel(request)
    }

    private func failure(_ sql: String? = nil) -> PostgresError {
        PostgresError(
            ofLibrary: PQerrorMessage(handle), sql: sql,
            isDisconnection: PQstatus(handle) != CONNECTION_OK)
    }

    // MARK: Transactions

    /// Runs a body in a transaction, which is taken back where the body throws.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether all is read as it was at one moment.
    ///   - ending: What is sent with the commit, after the body.
    func transaction<Result>(
        isReadOnly: Bool = false, ending: () -> [PostgresStatement] = { [] },
        _ body: () throws -> Result
    ) throws -> Result {
        _ = try run([Self.begin(isReadOnly: isReadOnly)])
        do {
            let result = try body()
            _ = try run(ending() + [PostgresStatement("COMMIT")])
            return result
        } catch {
            // A connection that is lost has no transaction any more.
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    static func begin(isReadOnly: Bool) -> PostgresStatement {
        PostgresStatement(
            isReadOnly
                ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
                : "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    }

    // MARK: COPY

    /// Writes rows straight into a table: far faster than any statement, for many rows.
    ///
    /// - Parameters:
    ///   - sql: `COPY … FROM STDIN (FORMAT binary)`.
    ///   - rows: What the server reads, in parts.
    func copy(
        _ sql: String, _ rows: (_ send: ([UInt8]) throws(PostgresError) -> Void) throws -> Void
    )
        throws
    {
        roundTrips += 1
        PQsetnonblocking(handle, 0)
        defer { PQsetnonblocking(handle, 1) }
        let started = PQexec(handle, sql)
        let status = PQresultStatus(started)
        defer { PQclear(started) }
        guard status == PGRES_COPY_IN else { throw PostgresError(started, sql: sql) }
        do {
            try rows { (bytes) throws(PostgresError) in
                let isSent = bytes.withUnsafeBytes { buffer in
                    PQputCopyData(
                        handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(buffer.count))
                }
                guard isSent == 1 else { throw failure(sql) }
            }
            PQputCopyEnd(handle, nil)
        } catch {
            PQputCopyEnd(handle, "given up")
            while let result = PQgetResult(handle) { PQclear(result) }
            throw error
        }
        var found: PostgresError?
        while let result = PQgetResult(handle) {
            if PQresultStatus(result) == PGRES_FATAL_ERROR {
                found = PostgresError(result, sql: sql)
            }
            PQclear(result)
        }
        if let found { throw found }
    }
}

/// What the connections of a store have in common.
package struct PostgresSettings: Sendable {
    /// The URL, or keys and values, as libpq takes them.
    package var connectionText: String
    /// Whether statements are prepared under names, which a pooler between may not know.
    package var preparesStatements = true

    package init(_ connectionText: String) {
        self.connectionText = connectionText
    }
}
