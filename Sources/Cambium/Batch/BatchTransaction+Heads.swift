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
