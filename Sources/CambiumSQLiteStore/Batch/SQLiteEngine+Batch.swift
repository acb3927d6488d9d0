import CambiumEngine
import CambiumRecords
import CambiumSQLite

extension SQLiteEngine {
    func run(
        _ work: some BatchWork, by author: TransactionAuthor, attachesRows: Bool,
        committed: (BatchChanges) -> Void
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        try writer.withLock { connection in
            let transaction: SQLiteBatch
            do {
                transaction = try run(work, author, connection, attachesRows, isPlanned: false)
            } catch  where work.canPlan && Self.isObstacle(error) {
                transaction = try run(work, author, connection, attachesRows, isPlanned: true)
            }
            committed(transaction.changes)
            checkpointIfNeeded(connection)
        }
    }

    private static func isObstacle(_ error: any Error) -> Bool {
        if error is SaveObstacle { return true }
        if let refused = error as? RefusedRow { return refused.isOfUniqueValues }
        return (error as? SQLiteError).map(ConstraintFailure.isUnique) ?? false
    }

    private func run(
        _ work: some BatchWork, _ author: TransactionAuthor, _ connection: Connection,
        _ attachesRows: Bool, isPlanned: Bool
    ) throws -> SQLiteBatch {
        let transaction = SQLiteBatch(
            self, connection, isPlanned: isPlanned,
            changes: BatchChanges(
                model, store: identifier, listsAll: work.resultType == .objectIDs,
                attachesRows: attachesRows))
        do {
            try connection.transaction {
                try connection.untilCancelled {
                    try recording(author, on: connection) { try work.run(in: transaction) }
                }
            }
        } catch {
            transaction.rollBackFiles()
            throw error
        }
        transaction.commitFiles()
        return transaction
    }
}
