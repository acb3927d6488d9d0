extension BatchTransaction {
    /// Finds the rows that are to be changed, and says in the result how many, or which, they are.
    func rowKeys(_ request: RowRequest, counting resultType: BatchResultType) throws -> [RowKey] {
        let keys = try rowKeys(request)
        changes.count = keys.count
        if resultType == .objectIDs {
            changes.objectIDs = keys.map {
                ObjectID(model.entities[$0.entity], key: $0.key, store: identifier)
            }
        }
        return keys
    }
}
