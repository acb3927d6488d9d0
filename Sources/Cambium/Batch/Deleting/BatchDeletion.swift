/// Deletes the rows that a request finds, and follows the delete rules set by set.
struct BatchDeletion: BatchWork {
    let request: RowRequest
    let resultType: BatchResultType
    let canPlan = false
    /// So many rows are looked at and written at once.
    var chunkSize = 10_000

    func run(in transaction: any BatchTransaction) throws {
        var propagation = DeletePropagation(transaction, chunkSize: chunkSize)
        propagation.add(try transaction.heads(request, counting: resultType))
        try propagation.followCascades()
        try propagation.releaseLinks()
        try propagation.write()
    }
}

extension BatchTransaction {
    /// Finds the rows that are to be changed, and says in the result how many, or which, they are.
    func heads(_ request: RowRequest, counting resultType: BatchResultType) throws -> [RowHead] {
        let heads = try heads(request)
        changes.count = heads.count
        if resultType == .objectIDs {
            changes.objectIDs = heads.map {
                ObjectID(model.entities[$0.entity], key: $0.key, store: identifier)
            }
        }
        return heads
    }
}
