import CSQLite

extension Connection {
    /// When a transaction takes the lock that only one writer has.
    package enum TransactionKind: String, Sendable {
        /// With the first statement that needs one; for reading.
        case deferred = "DEFERRED"
        /// At once, so that it cannot fail half-way because another writer was faster.
        case immediate = "IMMEDIATE"
        /// Like that; in a database without a write-ahead log no other connection can read
        /// meanwhile, either.
        case exclusive = "EXCLUSIVE"
    }

    /// Runs a body inside a transaction: commits when it returns, rolls back when it throws.
    ///
    /// - Throws: What the body throws, or ``SQLiteError`` from BEGIN or COMMIT, or where the file was
    ///   deleted or replaced before it was this transaction's turn to write. Nothing is kept of a
    ///   transaction that threw.
    package func transaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws -> Result
    ) throws -> Result {
        try begin(kind)
        let changesBefore = sqlite3_total_changes(handle)
        do {
            let result = try body()
            if sqlite3_total_changes(handle) != changesBefore { try markFile() }
            try execute("COMMIT")
            if kind != .deferred { file?.noteProgress(of: handle) }
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Counts in the file's header with the first transaction after a checkpoint. So the beginning
    /// of the file is another one after each checkpoint, by which a copy that is put back over it
    /// is noticed. (SQLite's own counter there stands still where there is a log.)
    private func markFile() throws(SQLiteError) {
        guard log.isOn, log.pages == 0,
            case .integer(let version)? = try rows("PRAGMA user_version").first?.first
        else { return }
        try execute("PRAGMA user_version = \((version + 1) % Int64(Int32.max))")
    }

    private func begin(_ kind: TransactionKind) throws(SQLiteError) {
        do {
            try execute("BEGIN \(kind.rawValue)")
        } catch {
            try requireOwnFile()
            throw error
        }
        // Now, as it may have waited for others.
        if kind != .deferred { try requireOwnFile() }
    }

    /// Runs a part of an open transaction: where it throws, what it has written is taken back, and
    /// the transaction goes on.
    ///
    /// - Throws: What the body throws, or ``SQLiteError``. Where the transaction itself was taken
    ///   back by then, that is for who began it to find.
    package func savepoint(_ body: () throws -> Void) throws {
        try execute("SAVEPOINT part")
        do {
            try body()
        } catch {
            if isInTransaction { try execute("ROLLBACK TO part; RELEASE part") }
            throw error
        }
        try execute("RELEASE part")
    }

    /// Whether the open transaction has written a key that references no row, or deleted a row that
    /// a key references: then it cannot be committed. Costs nothing, the library keeps count.
    package var hasDanglingKeys: Bool {
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        return current != 0
    }

    /// Undoes the open transaction, if any. Some errors (a full disk) have done so already.
    package func rollBack() {
        guard isInTransaction else { return }
        // A rollback can only fail where there is nothing left to roll back.
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Begins a transaction for reading that sees the database as it is now, until
    /// ``rollBack()``.
    package func beginReading() throws(SQLiteError) {
        try execute("BEGIN DEFERRED")
        // The first statement that reads decides what is seen.
        _ = try rows("SELECT count(*) FROM \"sqlite_schema\"")
    }
}
