/// Deletes the rows that a request finds, and follows the delete rules set by set.
struct BatchDeletion: BatchWork {
    let request: RowRequest
    let resultType: BatchResultType
    let canPlan = false
    /// So many rows are looked at and written at once.
    var chunkSize = 10_000

    func run(in transaction: any BatchTransaction) throws {
        var propagation = DeletePropagation(transaction, chunkSize: chunkSize)
        propagation.add(try find(transaction))
        try propagation.followCascades()
        try propagation.releaseLinks()
        try propagation.write()
    }

    private func find(_ transaction: any BatchTransaction) throws -> [RowHead] {
        let heads = try transaction.heads(request)
        transaction.changes.count = heads.count
        guard resultType == .objectIDs else { return heads }
        transaction.changes.objectIDs = heads.map {
            ObjectID(
                transaction.model.entities[$0.entity], key: $0.key,
                store: transaction.identifier)
        }
        return heads
    }
}
