import CPostgres

extension PostgresConnection {
    /// Sends a part of what is copied.
    typealias CopyPart = (UnsafeRawBufferPointer) throws(PostgresError) -> Void

    /// Writes rows straight into a table: faster than any statement, for many rows.
    ///
    /// - Parameters:
    ///   - sql: `COPY … FROM STDIN (FORMAT binary)`.
    ///   - rows: What the server reads, in parts.
    /// - Returns: How many rows it has written.
    @discardableResult
    func copy(
        _ sql: String, _ rows: (_ send: CopyPart) throws -> Void
    ) throws -> Int {
        roundTrips += 1
        guard let watch = terms.watch else { return try send(sql, rows) }
        let trip = WatchedTrip([PostgresStatement(sql)], terms.settings, number: watch.nextTrip())
        defer { watch.tell(trip) }
        var count = 0
        defer { trip.ended(rowCount: count) }
        count = try send(sql, rows)
        return count
    }

    private func send(
        _ sql: String, _ rows: (_ send: CopyPart) throws -> Void
    ) throws -> Int {
        PQsetnonblocking(handle, 0)
        defer { PQsetnonblocking(handle, 1) }
        let started = PQexec(handle, sql)
        let status = PQresultStatus(started)
        defer { PQclear(started) }
        guard status == PGRES_COPY_IN else {
            guard PQstatus(handle) == CONNECTION_OK else { throw failure(sql) }
            throw PostgresError(started, sql: sql).hiding(terms.settings)
        }
        do {
            try rows { (bytes) throws(PostgresError) in
                // Safety: bytes are characters in C.
                let isSent = PQputCopyData(
                    handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(bytes.count))
                guard isSent == 1 else { throw failure(sql) }
            }
            PQputCopyEnd(handle, nil)
        } catch {
            PQputCopyEnd(handle, "given up")
            while let result = PQgetResult(handle) { PQclear(result) }
            throw error
        }
        var found: PostgresError?
        var count = 0
        while let result = PQgetResult(handle) {
            if PQresultStatus(result) == PGRES_FATAL_ERROR {
                found = PostgresError(result, sql: sql)
                PQclear(result)
            } else {
                count = PostgresRows(result).changes
            }
        }
        if let found { throw found.hiding(terms.settings) }
        return count
    }
}
