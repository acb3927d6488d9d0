import CambiumRecords

/// The part of a context that knows what could not be reported where it happened, and what could not
/// be read. The next save throws it.
final class RecordedErrors {
    private var errors: [any Error] = []
    /// What could not be read: no save succeeds until it was.
    var failedReads = FailedReads()

    /// Keeps an error for the next save.
    func record(_ error: any Error) {
        errors.append(error)
    }

    /// Whether an error waits for the next save.
    func contains(where isWanted: (any Error) -> Bool) -> Bool { errors.contains(where: isWanted) }

    /// Throws what was recorded, once.
    func throwRecorded() throws {
        if errors.isEmpty { return }
        let recorded = errors
        errors = []
        let validation = recorded.compactMap { $0 as? ValidationError }
        throw validation.count == recorded.count
            ? ValidationErrors.combined(validation) : recorded[0]
    }

    /// Forgets everything.
    func reset() {
        errors = []
        failedReads = FailedReads()
    }

    // MARK: Mistakes that cannot be thrown where they happen

    /// An object of another context was used.
    func recordForeign(_ object: ManagedObject) {
        record(StoreError.otherContext(of: object))
    }

    /// An object was changed that its context has forgotten.
    func recordForgotten(_ object: ManagedObject) {
        record(
            StoreError(
                code: .foreignObject,
                message: "\(object.entityDescription.name)/\(object.key) was changed after its "
                    + "context was reset.",
                remedy: "Look it up again with object(with: its objectID)."))
    }

    /// A relationship was set to an object that it cannot reference.
    func recordForeignLink(
        _ owner: ManagedObject, _ relationship: RelationshipDescription, _ object: ManagedObject
    ) {
        record(
            StoreError(
                code: .foreignObject,
                message: "\(owner).\(relationship.relationship.name) was set to \(object), which "
                    + "belongs to another context or was deleted.",
                remedy: "Look it up in this context with object(with: its objectID)."))
    }

    /// A relationship was set to an object of another entity.
    func recordWrongEntity(
        _ owner: ManagedObject, _ relationship: RelationshipDescription, _ object: ManagedObject
    ) {
        record(
            StoreError(
                code: .invalidRequest,
                message: "\(owner).\(relationship.relationship.name) was set to \(object).",
                remedy: "Set it to an object of \(relationship.relationship.destination)."))
    }
}
