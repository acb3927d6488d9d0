import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// How the transaction of a save begins.
enum SaveBeginning {
    /// With the save, after what the connection did before was taken back where it has not ended.
    case begin(after: [PostgresStatement])
    /// It was begun by ``PostgresEngine/withTransaction(_:_:)``, and these statements are part of it.
    case inTransaction([PostgresStatement])

    var statements: [PostgresStatement] {
        switch self {
        case .begin(let leading): leading + [PostgresConnection.begin(.readCommitted)]
        case .inTransaction(let statements): statements
        }
    }

    /// Whether the transaction sees one state, which it began with.
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

    /// How often a save was tried, on all connections.
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

    /// How often a save is planned: others may come between the look at the rows and the writing.
    private static let greatestPlannings = 4

    /// Whether it was others who were in the way, or other rows of the same save.
    static func mayBeResolved(_ error: any Error) -> Bool {
        if error is SaveConflict { return true }
        guard let error = error as? PostgresError else { return false }
        return [PostgresError.uniqueViolation, PostgresError.foreignKeyViolation]
            .contains(error.state)
    }

    /// Whether it was others who were in the way at that moment. Nobody has locked the rows that a plan
    /// decides about beside those of the request: they may have been changed since.
    private static func mayBeRepeated(_ error: any Error) -> Bool {
        error is SaveConflict || (error as? PostgresError)?.isOfOthers == true
    }

    /// Writes everything in one transaction: locks what is to be written, looks whether it is as it
    /// was read, writes, and commits.
    ///
    /// Without a conflict that takes three round trips to the server. Where it throws, the
    /// transaction is to be taken back.
    ///
    /// - Parameters:
    ///   - plans: Whether all is looked at before anything is written: a first try met others.
    ///   - beginning: How the transaction begins.
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
            && plan?.isToBeRefused == true
        {
            // Another plan would come to the same.
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

    /// Begins the transaction, and locks the rows: table by table those that are deleted, those that
    /// are updated and those that are checked, each in the order of their keys. So two saves rarely
    /// wait for each other crosswise; where they do, the server ends one of them, which is tried again.
    ///
    /// - Parameters:
    ///   - beginning: What begins the transaction.
    ///   - inquiry: What is asked when the rows are locked.
    /// - Returns: Whether all rows are as they were read, and what writes the history, where the
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

/// Rows that a save takes for unchanged.
private struct ExpectedRows {
    /// In the order of their keys.
    private let records: [Record]

    init(_ records: [Record]) {
        let areInOrder = zip(records, records.dropFirst()).allSatisfy { $0.key <= $1.key }
        self.records = areInOrder ? records : records.sorted { $0.key < $1.key }
    }

    /// Whether all are there, with their versions.
    ///
    /// - Parameter rows: Keys and versions in the order of the keys. Others may be among them.
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
