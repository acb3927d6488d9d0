import CPostgres

extension PostgresConnection {
    /// Sends a part of the copied data.
    typealias CopyPart = (UnsafeRawBufferPointer) throws(PostgresError) -> Void

    /// Writes rows directly into a table. For many rows, this is faster than any statement.
    ///
    /// - Parameters:
    ///   - sql: `COPY … FROM STDIN (FORMAT binary)`.
    ///   - rows: Sends the data to the server, in parts.
    /// - Returns: The number of rows written.
    @discardableResult
    func copy(
        _ sql: String, _ rows: (_ send: CopyPart) throws -> Void
    ) throws -> Int {
        roundTrips += 1
        guard let watch = setup.watch else { return try send(sql, rows) }
        let trip = WatchedTrip([PostgresStatement(sql)], setup.settings, number: watch.nextTrip())
        defer { watch.notify(trip) }
        var count = 0
        defer { trip.ended(rowCount: count) }
        count = try send(sql, rows)
        return count
    }

    private func send(
        _ sql: String, _ rows: (_ send: CopyPart) throws -> Void
    ) throws -> Int {
        guard PQsendQuery(handle, sql) == 1 else { throw failure(sql) }
        hasUnsent = true
        guard let started = try next() else { throw failure(sql) }
        defer { PQclear(started) }
        guard PQresultStatus(started) == PGRES_COPY_IN else {
            while let result = try next() { PQclear(result) }
            throw PostgresError(started, sql: sql).hiding(setup.settings)
        }
        do {
            try rows { (bytes) throws(PostgresError) in
                try putting(sql) {
                    // Safety: bytes are characters in C.
                    PQputCopyData(
                        handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(bytes.count))
                }
            }
            try putting(sql) { PQputCopyEnd(handle, nil) }
        } catch {
            try putting(sql) { PQputCopyEnd(handle, "given up") }
            while let result = try next() { PQclear(result) }
            throw error
        }
        var found: PostgresError?
        var count = 0
        while let result = try next() {
            if PQresultStatus(result) == PGRES_FATAL_ERROR {
                found = PostgresError(result, sql: sql)
                PQclear(result)
            } else {
                count = PostgresRows(result).changes
            }
        }
        if let found { throw found.hiding(setup.settings) }
        return count
    }

    /// Calls a function of libpq that accepts data to be sent, and waits until the data is sent:
    /// libpq would buffer any amount.
    private func putting(_ sql: String, _ put: () -> Int32) throws(PostgresError) {
        var isTaken = false
        while true {
            if !isTaken {
                let taken = put()
                guard taken >= 0 else { throw failure(sql) }
                isTaken = taken == 1
            }
            let flushed = PQflush(handle)
            guard flushed >= 0 else { throw failure(sql) }
            if isTaken, flushed == 0 { return }
            // A server that rejects the rows sends an error meanwhile, and may wait until it is
            // read.
            let ready = cambium_wait(PQsocket(handle), 1, 1_000)
            guard ready >= 0, PQconsumeInput(handle) == 1 else { throw failure(sql) }
        }
    }
}
