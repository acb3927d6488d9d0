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
    func recordOtherContext(_ object: ManagedObject) {
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
    func recordInvalidLink(
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
            StoreError.invalidRequest(
                "\(owner).\(relationship.relationship.name) was set to \(object).",
                remedy: "Set it to an object of \(relationship.relationship.destination)."))
    }
}

/// What a context could not read. No save succeeds until it was read, or until the changes that need
/// it were taken back.
struct FailedReads {
    /// What was to be read.
    enum Target: Hashable {
        /// The row of an object.
        case row(RowIdentity)
        /// The members of a relationship of an object, by its number.
        case links(RowIdentity, Int)
        /// What a fetched property of an object finds, by its number.
        case fetched(RowIdentity, Int)

        /// The object.
        var id: RowIdentity {
            switch self {
            case .row(let id), .links(let id, _), .fetched(let id, _): id
            }
        }
    }

    private struct Failure {
        let error: any Error
        /// Whether a change was made without what was to be read: it is not what the program meant,
        /// and no later read makes it so.
        var isNeeded = false
    }

    private var failures: [Target: Failure] = [:]

    var isEmpty: Bool { failures.isEmpty }

    /// The error of a read that failed.
    subscript(target: Target) -> (any Error)? { failures[target]?.error }

    /// What could not be read, in the order of the objects.
    var targets: [Target] { failures.keys.sorted { $0.id < $1.id } }

    /// Whether something of an object could not be read.
    func concerns(_ id: RowIdentity) -> Bool { failures.keys.contains { $0.id == id } }

    /// The error of the first of them.
    var firstError: (any Error)? { targets.first.flatMap { self[$0] } }

    /// Notes that a read has failed.
    ///
    /// - Returns: Whether it was not noted before.
    mutating func insert(_ target: Target, _ error: any Error) -> Bool {
        let isNew = failures[target] == nil
        if isNew { failures[target] = Failure(error: error) }
        return isNew
    }

    /// Notes that a change was made without what could not be read.
    mutating func require(_ target: Target) {
        failures[target]?.isNeeded = true
    }

    /// What is wrong with a change that was made without what could not be read; nil where there is
    /// none.
    func errorOfChange(by target: Target) -> (any Error)? {
        guard let failure = failures[target], failure.isNeeded else { return nil }
        return StoreError(
            code: .unreadable,
            message: "The context changed an object based on values that could not be read.",
            remedy: "Discard the change with refresh(_:mergeChanges: false) or rollback(), and "
                + "make it again.",
            underlying: failure.error)
    }

    /// Forgets a read that has succeeded.
    mutating func remove(_ target: Target) {
        if failures[target]?.isNeeded == false { failures[target] = nil }
    }

    /// Forgets what could not be read of an object, whose changes are taken back.
    mutating func removeAll(of id: RowIdentity) {
        failures = failures.filter { $0.key.id != id }
    }
}
