import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// The beginning of a save's transaction.
enum SaveBeginning {
    /// With the save. An earlier transaction of the connection that has not ended is rolled back
    /// first.
    case begin(after: [PostgresStatement])
    /// The transaction was begun by ``PostgresEngine/withTransaction(_:_:)``, and these statements
    /// are part of it.
    case inTransaction([PostgresStatement])

    var statements: [PostgresStatement] {
        switch self {
        case .begin(let leading): leading + [PostgresConnection.begin(.readCommitted)]
        case .inTransaction(let statements): statements
        }
    }

    /// Whether the transaction sees the state of its beginning only.
    var seesOneState: Bool {
        if case .inTransaction = self { true } else { false }
    }
}

extension PostgresEngine {
    func save(
        _ request: SaveRequest, arbiter: any ConflictArbiter, willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        var attempts = SaveAttempts()
        try writing { connection in
            try save(request, connection, arbiter, willCommit, committed, &attempts)
        }
    }

    /// The number of attempts of a save, on all connections.
    private struct SaveAttempts {
        var plannings = 0
        var others = Attempts()
    }

    private func save(
        _ request: SaveRequest, _ connection: PostgresConnection, _ arbiter: any ConflictArbiter,
        _ willCommit: () throws -> Void, _ committed: (_ outcome: SaveOutcome) -> Void,
        _ attempts: inout SaveAttempts
    ) throws {
        try withExtendedLifetime(request) {
            var leading: [PostgresStatement] = []
            while true {
                defer { leading = [PostgresStatement("ROLLBACK")] }
                do {
                    committed(
                        try write(
                            request, connection, arbiter, willCommit, plans: attempts.plannings > 0,
                            .begin(after: leading)))
                    return
                } catch
                    where attempts.plannings < Self.greatestPlannings && Self.mayBeResolved(error)
                {
                    attempts.plannings += 1
                } catch  where Self.mayBeRepeated(error) {
                    do {
                        try attempts.others.waitForNext(after: error)
                    } catch {
                        _ = try? connection.run("ROLLBACK")
                        throw error
                    }
                } catch {
                    // A connection that is lost has no transaction any more.
                    _ = try? connection.run("ROLLBACK")
                    throw layout.refusal(error)
                }
            }
        }
    }

    /// The maximum number of times that a save is planned. Another transaction may write between
    /// the reads of the plan and the writes.
    private static let greatestPlannings = 4

    /// Whether the cause was a conflict with another transaction, or between rows of the same save.
    static func mayBeResolved(_ error: any Error) -> Bool {
        if error is SaveConflict { return true }
        guard let error = error as? PostgresError else { return false }
        return [PostgresError.uniqueViolation, PostgresError.foreignKeyViolation]
            .contains(error.state)
    }

    /// Whether the cause was another transaction at the same moment. The plan also depends on rows
    /// outside of the request, which are not locked: they may have changed meanwhile.
    private static func mayBeRepeated(_ error: any Error) -> Bool {
        error is SaveConflict || (error as? PostgresError)?.isOfOthers == true
    }

    /// Writes everything in one transaction: locks the rows, checks that they are as they were
    /// read, writes, and commits.
    ///
    /// Without a conflict, this takes three round trips to the server. If it throws, the
    /// transaction must be rolled back.
    ///
    /// - Parameters:
    ///   - plans: Whether everything is checked before anything is written, because a first attempt
    ///     met a conflict.
    ///   - beginning: The beginning of the transaction.
    func write(
        _ request: SaveRequest, _ connection: PostgresConnection, _ arbiter: any ConflictArbiter,
        _ willCommit: () throws -> Void, plans: Bool, _ beginning: SaveBeginning
    ) throws -> SaveOutcome {
        var plan: SavePlan?
        do {
            return try write(
                request, connection, arbiter, willCommit, plans: plans, beginning, &plan)
        } catch let error as PostgresError
            where error.state == PostgresError.foreignKeyViolation
            && plan?.willBeRejected == true
        {
            // Another plan would have the same result.
            throw layout.refusal(error)
        }
    }

    private func write(
        _ request: SaveRequest, _ connection: PostgresConnection, _ arbiter: any ConflictArbiter,
        _ willCommit: () throws -> Void, plans: Bool, _ beginning: SaveBeginning,
        _ keepsRecords: inout SavePlan?
    ) throws -> SaveOutcome {
        let notes = notesToWrite.withLock { $0 }
        var outcome = SaveOutcome()
        let author = request.author
        let answers = PostgresAnswers(layout, connection)
        let planner = SavePlanner(lookup: answers, model: model)
        let inquiry =
            plans
            ? answers.inquiry(about: planner.questions(about: request, arbiter))
            : PostgresAnswers.Inquiry()
        var derivations = PostgresDerivationRun(self.derivations, connection, request)
        let (isCurrent, recorder) = try lock(
            request, connection, derivations, after: beginning.statements, with: inquiry)
        let id = try PostgresCommits.newID()
        var request = request
        var swapped: Set<RowIdentity> = []
        var locks: [PostgresStatement] = []
        if plans || !isCurrent {
            let plan = try planner.plan(request, arbiter)
            request = plan.request
            outcome.resolutions = plan.resolutions
            outcome.droppedPairs = plan.droppedPairs
            swapped = try planner.rowsWithSwappedValues(in: plan)
            keepsRecords = plan
            let former = derivations
            derivations = PostgresDerivationRun(self.derivations, connection, request)
            locks = derivations?.lock(after: former) ?? []
        }
        let written = try withExtendedLifetime(keepsRecords) {
            try PostgresWriter(self.derivations, connection, from: .save, recorder).write(
                request, after: locks, swapping: swapped, derivations,
                ending: (notes.map(statements) ?? []) + [layout.commits.insertion(of: id)]
                    + [PostgresStatement("SET CONSTRAINTS ALL IMMEDIATE")])
        }
        try willCommit()
        let (roots, reading) = derivations?.reading() ?? ([], [])
        let results = try commit(
            id, connection, writing: written.rest, reading: reading,
            ending: history.ending(recorder, by: author, numbers: !beginning.seesOneState))
        outcome.derived = (derivations?.rows(results, roots) ?? []) + written.moved
        if let notes { didWrite(notes) }
        return outcome
    }

    /// Begins the transaction, and locks the rows: for each table the deleted rows, the updated
    /// rows and the checked rows, each in the order of their keys. Deadlocks of two saves are
    /// therefore rare. If there is one, the server ends one of the saves, which is repeated.
    ///
    /// - Parameters:
    ///   - beginning: The statements that begin the transaction.
    ///   - inquiry: The queries after the rows are locked.
    /// - Returns: Whether all rows are as they were read, and the recorder of the history, if the
    ///   store has one.
    private func lock(
        _ request: SaveRequest, _ connection: PostgresConnection,
        _ derivations: PostgresDerivationRun?, after beginning: [PostgresStatement],
        with inquiry: PostgresAnswers.Inquiry
    ) throws -> (isCurrent: Bool, recorder: PostgresRecorder?) {
        let locks = derivations?.locks
        var statements = beginning + [history.sql.beginning]
        var expected: [ExpectedRows] = []
        for root in model.entities where root.rootIndex == root.index {
            func add(
                _ records: [Record], _ strength: String,
                with locks: DerivationLocks? = nil
            ) {
                let keys = records.map(\.key)
                var parameters = PostgresParameters()
                var list = locks?.list(keys, root: root.index, &parameters)
                if list == nil, !keys.isEmpty {
                    parameters.appendArray(of: keys)
                    list = "$1"
                }
                guard let list else { return }
                statements.append(
                    PostgresStatement(
                        """
                        SELECT "_id", "_version" FROM \(layout.table(of: root.entity)) \
                        WHERE "_id" = ANY(\(list)) ORDER BY "_id" FOR \(strength)
                        """, parameters))
                expected.append(ExpectedRows(records))
            }
            func isOfRoot(_ entity: EntityDescription) -> Bool { entity.rootIndex == root.index }
            add(
                request.deletions.filter { isOfRoot($0.entity) }.flatMap(\.records), "UPDATE")
            add(
                request.updates.filter { isOfRoot($0.entity) }.flatMap(\.records),
                "NO KEY UPDATE", with: locks)
            add(request.checks.filter { isOfRoot($0.entity) }.flatMap(\.records), "SHARE")
        }
        let preparation = derivations?.preparation ?? []
        let count = statements.count - beginning.count
        let results = Array(
            try connection.run(
                statements + preparation + inquiry.statements
            ).dropFirst(beginning.count))
        try version.require(results[0])
        derivations?.prepare(with: results[count...])
        try inquiry.take(results[(count + preparation.count)...])
        let isCurrent = zip(results.dropFirst(1), expected).allSatisfy { $1.are(in: $0) }
        return (isCurrent, history.recorder(results[0]))
    }
}

/// Rows that a save expects to be unchanged.
private struct ExpectedRows {
    /// In the order of their keys.
    private let records: [Record]

    init(_ records: [Record]) {
        let areInOrder = zip(records, records.dropFirst()).allSatisfy { $0.key <= $1.key }
        self.records = areInOrder ? records : records.sorted { $0.key < $1.key }
    }

    /// Whether all rows exist, with their versions.
    ///
    /// - Parameter rows: Keys and versions in the order of the keys. They may include other rows.
    func are(in rows: PostgresRows) -> Bool {
        var row = 0
        for record in records {
            while row < rows.count, rows.integer(row, 0) < record.key { row += 1 }
            guard row < rows.count, rows.integer(row, 0) == record.key,
                rows.integer(row, 1) == record.version
            else { return false }
        }
        return true
    }
}
