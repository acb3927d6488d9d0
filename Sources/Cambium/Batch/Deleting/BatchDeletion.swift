import CambiumSQLite

/// Deletes the rows that a request finds, and follows the delete rules set by set.
struct BatchDeletion: BatchWork {
    let request: RowRequest
    let resultType: BatchResultType
    let canPlan = false

    func run(in transaction: BatchTransaction) throws {
        let heads = try transaction.heads(request)
        let store = transaction.store.identifier
        transaction.changes.count = heads.count
        if resultType == .objectIDs {
            transaction.changes.objectIDs = heads.map {
                ObjectID(transaction.model.entities[$0.entity], key: $0.key, store: store)
            }
        }
        var propagation = DeletePropagation(transaction)
        try propagation.delete(heads)
        let deletion = try propagation.finish()
        try withExtendedLifetime(deletion.records) { try transaction.write(deletion.request) }
        for part in deletion.request.deletions {
            transaction.changes.delete(part.records.map(\.key), part.entity)
        }
        for part in deletion.request.updates {
            transaction.changes.clear(part.slots, part.records.map(\.key), part.entity)
        }
    }
}
