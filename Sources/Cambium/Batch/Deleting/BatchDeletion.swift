/// Deletes the rows that a request finds, and follows the delete rules set by set.
struct BatchDeletion: BatchWork {
    let request: RowRequest
    let resultType: BatchResultType
    let canPlan = false
    /// So many rows are looked at and written at once.
    var chunkSize = 10_000

    func run(in transaction: any BatchTransaction) throws {
        var propagation = DeletePropagation(transaction, chunkSize: chunkSize)
        propagation.add(try transaction.rowKeys(request, counting: resultType))
        try propagation.followCascades()
        try propagation.releaseLinks()
        try propagation.write()
    }
}
