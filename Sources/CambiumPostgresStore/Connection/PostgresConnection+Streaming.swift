import CPostgres
import CambiumRecords

/// Reads rows while the server is still sending more.
///
/// libpq returns the result of a statement when it is complete. It returns copied data row by row,
/// at less cost. `COPY` takes no parameters and is not prepared.
extension PostgresConnection {
    /// The limit up to which a statement returns few rows: preparing it helps more than reading
    /// early.
    private static let few = 1_000
    /// The number of remembered statements with few rows.
    private static let mostShort = 500

    /// Whether ``stream(_:interruption:_:)`` should run a statement that reads rows.
    func streams(_ statement: PostgresStatement) -> Bool {
        guard statement.parameters.count == 0, beginning == nil, !short.contains(statement.sql)
        else { return false }
        // The first statements of a transaction cannot be sent together with COPY.
        return PQtransactionStatus(handle) != PQTRANS_IDLE || setup.settings.isEmpty
    }

    /// Remembers how many rows a statement has returned.
    func note(_ rowCount: Int, of statement: PostgresStatement) {
        guard statement.parameters.count == 0 else { return }
        guard rowCount < Self.few else {
            short.remove(statement.sql)
            return
        }
        if short.count >= Self.mostShort { short = [] }
        short.insert(statement.sql)
    }

    /// Runs a statement that reads rows, in one round trip.
    ///
    /// - Parameters:
    ///   - statement: A statement without parameters. The statement hook receives it without
    ///     `COPY`.
    ///   - endsEarly: Whether an error of the receiver ends the statement, and with it the
    ///     transaction. Otherwise the rest of the rows is read.
    ///   - receive: Receives the bytes of a row, which are valid during the call: see
    ///     ``CopiedRow``.
    func stream(
        _ statement: PostgresStatement, interruption: Interruption? = nil, endsEarly: Bool = false,
        _ receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        roundTrips += 1
        var count = 0
        let trip = setup.watch.map {
            WatchedTrip([statement], setup.settings, number: $0.nextTrip())
        }
        defer {
            trip?.ended(rowCount: count)
            if let trip { setup.watch?.notify(trip) }
        }
        var failure: (any Error)?
        let waiting = Waiting(interruption, deadline(of: [statement]))
        let found = try copyOut(statement.sql, waiting) { row in
            // After an error, the rest of the data is read too: the connection is used again.
            guard failure == nil else { return }
            do {
                try receive(row)
                count += 1
            } catch let error {
                failure = error
                if endsEarly { cancel() }
            }
        }
        let ended = found.map { noting($0, interruption) }
        if let error = endsEarly ? failure ?? ended : ended ?? failure {
            count = 0
            throw error
        }
        note(count, of: statement)
    }

    /// - Returns: The error that ended the statement.
    private func copyOut(
        _ sql: String, _ waiting: Waiting, _ receive: (UnsafeRawBufferPointer) -> Void
    ) throws(PostgresError) -> PostgresError? {
        // COPY takes its snapshot before it locks its tables. Therefore the lock of the store is
        // taken first.
        let isAlone = PQtransactionStatus(handle) == PQTRANS_IDLE
        let beginning = isAlone ? setup.beginning.map(\.sql) : []
        let statements = beginning + ["COPY (\(sql)) TO STDOUT (FORMAT binary)"]
        var ended = 0
        guard PQsendQuery(handle, statements.joined(separator: "; ")) == 1 else {
            throw failure(sql)
        }
        hasUnsent = true
        var waiting = waiting
        var found: PostgresError?
        /// The next result. A server that ends the connection may have sent the reason.
        func next() throws(PostgresError) -> OpaquePointer? {
            do {
                return try self.next(&waiting)
            } catch {
                if let found, found.isDisconnection { throw found }
                throw error
            }
        }
        while let result = try next() {
            switch PQresultStatus(result) {
            case PGRES_COPY_OUT:
                PQclear(result)
                try copyOut(&waiting, receive)
            case PGRES_FATAL_ERROR:
                found =
                    found
                    ?? PostgresError(result, sql: ended < beginning.count ? beginning[ended] : sql)
                PQclear(result)
            default:
                ended += 1
                PQclear(result)
            }
        }
        return found
    }

    /// Reads the copied data to its end. If an error ends it early, the error is the next result.
    private func copyOut(
        _ waiting: inout Waiting, _ receive: (UnsafeRawBufferPointer) -> Void
    ) throws(PostgresError) {
        var hasBegun = false
        while true {
            var message: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(handle, &message, 1)
            guard count != 0 else {
                try wait(&waiting)
                continue
            }
            guard count > 0, let message else {
                if count == -1 { return }
                throw failure()
            }
            // Safety: libpq allocated the message with this number of bytes, for this call alone.
            defer { PQfreemem(message) }
            var bytes = UnsafeRawBufferPointer(start: message, count: Int(count))
            if !hasBegun {
                hasBegun = true
                bytes = CopiedRow.withoutHeader(bytes)
            }
            if CopiedRow.isRow(bytes) { receive(bytes) }
        }
    }
}
