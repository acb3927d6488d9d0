import CambiumEngine
import CambiumMigration
import CambiumPostgresSQL

// The waits of opening. Before it waits, opening reports the reason.
extension PostgresOpener {
    /// Waits for another program that creates or migrates the same store. Other programs wait until
    /// this transaction ends.
    ///
    /// - Parameter name: The table of metadata.
    /// - Throws: ``StoreError`` with `busy` after ``StoreOptions/busyTimeout``.
    func waitForOthers(_ name: PostgresParameters, _ connection: PostgresConnection) throws {
        let isFree = try connection.run(
            "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", name
        ).boolean(0, 0)
        if isFree { return }
        notify("Waiting for another program that is opening or migrating the store \(place)")
        try untilOthersEnd {
            _ = try connection.run(
                [PostgresStatement("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)],
                interruption: interruption)
        }
    }

    /// The metadata of the store.
    ///
    /// - Throws: ``StoreError`` with `busy` if another program migrates the store for too long;
    ///   with `corrupt` if the table is not that of a store.
    func metadata(
        _ layout: PostgresLayout, _ connection: PostgresConnection
    ) throws -> PostgresRows {
        do {
            return try untilOthersEnd {
                let query = "SELECT \"name\", \"value\" FROM \(layout.metadata)"
                return try connection.run(
                    [PostgresStatement(query)], interruption: interruption)[0]
            }
        } catch let error as PostgresError
            where error.state.hasPrefix("42")
            && error.state != PostgresError.insufficientPrivilege
        {
            throw StoreError(
                code: .corrupt,
                message:
                    "The table \(layout.metadata) does not belong to a store: \(error.message).",
                remedy: "Give the store another schema, or restore it from a backup.",
                underlying: error)
        }
    }

    private func untilOthersEnd<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as PostgresError where error.state == PostgresError.lockTimeout {
            throw StoreError(
                code: .busy,
                message: "Another program has been opening or migrating the store \(place) for "
                    + "longer than \(options.busyTimeout).",
                remedy: "Try again when it has ended, or set a longer StoreOptions.busyTimeout.",
                underlying: error, serverFailure: .lockTimeout)
        }
    }

    /// Waits for the transactions of other programs that use the store as it is. Transactions that
    /// begin later wait until this one ends.
    ///
    /// - Throws: ``StoreError`` with `busy` after ``StoreOptions/busyTimeout``.
    func lock(_ layout: PostgresLayout, _ connection: PostgresConnection) throws {
        let lock = "\(PostgresSetup.lock) \(layout.metadata) IN ACCESS EXCLUSIVE MODE"
        _ = try connection.run("SAVEPOINT lock")
        do {
            _ = try connection.run("\(lock) NOWAIT")
            return
        } catch {
            guard error.state == PostgresError.lockTimeout else { throw error }
            _ = try connection.run("ROLLBACK TO SAVEPOINT lock")
        }
        let others = try connection.openTransactions(in: schema)
        let words = others.isEmpty ? "" : ": \(others.words)"
        notify(
            "Waiting for other programs that are using the earlier version of the store "
                + place + words)
        do {
            _ = try connection.run([PostgresStatement(lock)], interruption: interruption)
        } catch {
            guard error.state == PostgresError.lockTimeout else { throw error }
            throw StoreError(
                code: .busy,
                message: "The store \(place) cannot be migrated, because other programs have used "
                    + "it for longer than \(options.busyTimeout)\(words).",
                remedy: "Try again when their transactions have ended. A query generation is one, "
                    + "for StoreOptions.queryGenerationLifetime at most. Or set a longer "
                    + "StoreOptions.busyTimeout.", underlying: error, serverFailure: .lockTimeout)
        }
    }

    private func notify(_ sentence: String) {
        guard let progress = options.migrationProgress else { return StandardError.note(sentence) }
        progress(
            MigrationProgress(
                phase: .waiting, completed: 0, total: 0, fraction: 0, summary: sentence))
    }

    private var place: String { "in the schema \(schema.excerpt())" }

    // MARK: Privileges

    /// The remedy for a missing permission.
    enum Permission: String {
        case grants = """
            Let the owner of the store grant what cambium sql MODEL --engine postgres --grants USER \
            prints.
            """
        case creation = """
            Open the store once as a user who may create it, or grant CREATE to this one: on the \
            schema, or on the database where the schema does not exist.
            """
        case owner = """
            Open the store once with the same options as the owner of its tables.
            """
        case temporaryTables = """
            Grant TEMPORARY on the database to the user: the comparison needs temporary tables. Or \
            open the store once as the owner of its tables.
            """
    }

    /// Runs a body. If the user has no permission, the error says so.
    ///
    /// - Parameter work: The work on the store, as a verb.
    func permitting<Result>(
        _ work: String, _ permission: Permission, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as PostgresError
            where error.state == PostgresError.insufficientPrivilege
        {
            throw StoreError(
                code: .cannotOpen,
                message: "The user may not \(work) the store \(place): \(error.message).",
                remedy: permission.rawValue, underlying: error, serverFailure: .missingPrivilege)
        }
    }
}
