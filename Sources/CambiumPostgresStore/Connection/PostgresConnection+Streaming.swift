import CPostgres
import CambiumRecords

/// Rows that are read while the server is still sending others.
///
/// libpq hands over the result of a statement when all of it has come. What is copied it hands over row by
/// row, at less cost. `COPY` takes no parameters and is not prepared.
extension PostgresConnection {
    /// So many rows are few: preparing the statement helps more than reading early.
    private static let few = 1_000
    /// So many statements are remembered that return few rows.
    private static let mostShort = 500

    /// Whether ``stream(_:interruption:_:)`` is the way to run a statement that reads rows.
    func streams(_ statement: PostgresStatement) -> Bool {
        guard statement.parameters.count == 0, beginning == nil, !short.contains(statement.sql)
        else { return false }
        // What a transaction has to begin with cannot be sent together with COPY.
        return PQtransactionStatus(handle) != PQTRANS_IDLE || terms.settings.isEmpty
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
    ///   - statement: One without parameters. Who watches the statements sees it without `COPY`.
    ///   - endsEarly: Whether an error of the receiver ends the statement, and so the transaction.
    ///     Otherwise the rest of the rows is read.
    ///   - receive: Takes the bytes of a row, which are valid during the call: see ``CopiedRow``.
    func stream(
        _ statement: PostgresStatement, interruption: Interruption? = nil, endsEarly: Bool = false,
        _ receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        roundTrips += 1
        var count = 0
        let trip = terms.watch.map {
            WatchedTrip([statement], terms.settings, number: $0.nextTrip())
        }
        defer {
            trip?.ended(rowCount: count)
            if let trip { terms.watch?.tell(trip) }
        }
        var failure: (any Error)?
        let waiting = Waiting(interruption, deadline(of: [statement]))
        let found = try copyOut(statement.sql, waiting) { row in
            // What the server sends after an error is read, too: the connection is used again.
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

    /// - Returns: The error with which the statement has ended.
    private func copyOut(
        _ sql: String, _ waiting: Waiting, _ receive: (UnsafeRawBufferPointer) -> Void
    ) throws(PostgresError) -> PostgresError? {
        // COPY decides what it sees before it has the locks of its tables: that of the store comes first.
        let isAlone = PQtransactionStatus(handle) == PQTRANS_IDLE
        let beginning = isAlone ? terms.beginning.map(\.sql) : []
        let statements = beginning + ["COPY (\(sql)) TO STDOUT (FORMAT binary)"]
        var ended = 0
        guard PQsendQuery(handle, statements.joined(separator: "; ")) == 1 else {
            throw failure(sql)
        }
        hasUnsent = true
        var waiting = waiting
        var found: PostgresError?
        /// The next result. A server that ends the connection may have said why.
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

    /// Reads what is copied, to its end. An error that ends it early is the next result.
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
            // Safety: libpq has made the message, of so many bytes, for this call alone.
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
