extension StoreError {
    static func missingRow(of object: ManagedObject) -> StoreError {
        StoreError(
            code: .missingRow,
            message: "The row of \(object.objectID) was deleted by another context or program.",
            remedy: "Discard the object's changes with refresh(_:mergeChanges:) or rollback().")
    }

    static func otherContext(of object: ManagedObject) -> StoreError {
        StoreError(
            code: .foreignObject, message: "\(object) belongs to another context.",
            remedy: "Look it up in this one with object(with: its objectID).")
    }
}
