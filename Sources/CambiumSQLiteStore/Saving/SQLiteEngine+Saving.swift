import CambiumEngine
import CambiumRecords
import CambiumSQLite

extension SQLiteEngine {
    func save(
        _ request: SaveRequest, arbiter: any ConflictArbiter,
        willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        do {
            try writer.withLock { connection in
                try withExtendedLifetime(request) {
                    committed(try write(request, connection, arbiter, willCommit))
                }
                checkpointIfNeeded(connection)
            }
        } catch let error as SQLiteError {
            throw ConstraintFailure.error(for: error, in: model)
        }
    }

    /// Writes everything as if no other writer had changed a row. Where one has, or where a unique
    /// value or a key is in the way, all of it is taken back; then everything is looked at before
    /// anything is written. So a save without a conflict, the normal case, reads no row twice.
    private func write(
        _ request: SaveRequest, _ connection: Connection, _ arbiter: any ConflictArbiter,
        _ willCommit: () throws -> Void
    ) throws -> SaveOutcome {
        do {
            return try transaction(connection, request.author, willCommit) {
                let lookup = SQLiteLookup(store: self, connection: connection)
                for check in request.checks {
                    let conflicts = try lookup.conflicts(
                        check.entity, check.records, isDeletion: false)
                    guard conflicts.isEmpty else { throw SaveConflict() }
                }
                return Job(request: request)
            }
        } catch  where Self.mayBeResolved(error) {
            return try transaction(connection, request.author, willCommit) {
                let lookup = SQLiteLookup(store: self, connection: connection)
                let planner = SavePlanner(lookup: lookup, model: model)
                let plan = try planner.plan(request, arbiter)
                return Job(
                    request: plan.request, resolutions: plan.resolutions,
                    droppedPairs: plan.droppedPairs,
                    swapped: try planner.rowsWithSwappedValues(in: plan))
            }
        }
    }

    /// Whether it was others who were in the way, or other rows of the same save.
    private static func mayBeResolved(_ error: any Error) -> Bool {
        if error is SaveConflict { return true }
        guard let error = error as? SQLiteError else { return false }
        return ConstraintFailure.isUnique(error) || ConstraintFailure.isForeignKey(error)
    }

    /// What one transaction writes.
    private struct Job {
        let request: SaveRequest
        var resolutions: [ConflictResolution] = []
        var droppedPairs: [DroppedPair] = []
        /// Rows whose unique values others take.
        var swapped: Set<RowIdentity> = []
    }

    /// Runs a transaction, with all that saves do beside writing rows: large values go to files,
    /// and derived values are brought up to date.
    ///
    /// - Parameter prepare: Says, inside the transaction, what to write.
    private func transaction(
        _ connection: Connection, _ author: TransactionAuthor, _ willCommit: () throws -> Void,
        _ prepare: () throws -> Job
    ) throws -> SaveOutcome {
        let notes = waitingNotes
        var pipeline = RowPipeline(store: self, connection: connection, source: .save)
        do {
            let outcome = try connection.transaction {
                let job = try prepare()
                // The job keeps the pages of its records.
                return try withExtendedLifetime(job) {
                    let derived = try recording(author, on: connection) {
                        try pipeline.write(job.request, swapping: job.swapped)
                    }
                    if let notes { try write(notes, connection) }
                    // Other stores may commit now: what this commit would refuse it refuses before.
                    if connection.hasDanglingKeys { throw ConstraintFailure.danglingKey }
                    try willCommit()
                    return SaveOutcome(
                        resolutions: job.resolutions, droppedPairs: job.droppedPairs,
                        derived: derived + pipeline.movedValues)
                }
            }
            pipeline.commit()
            if let notes { didWrite(notes) }
            return outcome
        } catch {
            pipeline.rollBack()
            throw error
        }
    }
}

/// A conflict with another writer: a row is not as the context last saw it, or an object has a
/// partner already.
struct SaveConflict: Error {}
