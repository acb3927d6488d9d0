import CambiumRecords

/// The part of a context that reads from the stores, or from the parent of a child.
final class ReadingState {
    private let state: ContextState
    let rowWriter = RecordWriter()
    /// Writes the rows of faults that fire, into pages that the row cache shares.
    let faultWriter = RecordWriter()
    // Safety: an access calls nothing that could access the same variable again.
    /// The logs of reads. While there are any, the context's reads are noted in the last one.
    @exclusivity(unchecked) private(set) var logs: [ReadLog] = []
    /// Rows that were read in advance.
    private var ahead: ReadAhead?

    private struct ReadAhead {
        let rows: any SharedStore
        /// The store from which they were read.
        let store: any ReadableStore
        /// The merged commit of the context at that time.
        let commit: Int64?
    }

    init(_ state: ContextState) {
        self.state = state
    }

    /// Whether the row cache can provide and keep rows. It has only the latest rows.
    var usesRowCache: Bool { state.parentReader == nil && state.readsLatest }

    /// The store from which rows of an entity are read.
    func store(of entity: EntityDescription) -> any ReadableStore {
        let store = state.store(ofRoot: entity.rootIndex)
        let source = ahead.flatMap { isUseful($0, store) ? $0.rows : nil } ?? store
        return logs.last.map { WatchedStore(source, $0) } ?? source
    }

    // MARK: Reading ahead

    /// Runs a body that uses rows read in advance, or reads rows in advance itself.
    func withReadAhead<Result>(_ body: () throws -> Result) rethrows -> Result {
        let former = ahead
        defer { ahead = former }
        return try body()
    }

    /// Uses rows that were read with rows of an entity, until the end of ``withReadAhead(_:)``.
    func use(_ rows: (any SharedStore)?, readWith entity: EntityDescription) {
        guard let rows else { return }
        ahead = ReadAhead(
            rows: rows, store: state.store(ofRoot: entity.rootIndex), commit: mergedCommit)
    }

    /// A hook may have saved or merged meanwhile.
    private func isUseful(_ ahead: ReadAhead, _ store: any ReadableStore) -> Bool {
        ahead.store === store && ahead.commit == mergedCommit
    }

    private var mergedCommit: Int64? { state.context?.merges.mergedCommit }

    /// Updates a row in the row cache, if the cache has it.
    ///
    /// - Parameter commit: The latest commit that the row cache knew before the row was read.
    func updateCache(_ entity: EntityDescription, _ placed: PlacedRecord, readAt commit: Int64) {
        guard usesRowCache else { return }
        state.coordinator.rowCache.insert(
            [RowCache.Row(entity: entity, placed: placed)], readAt: commit, replacesOnly: true)
    }

    /// Advances to the latest state of the stores, after a save, a merge or a reset.
    func advanceQueryGeneration() {
        if case .pinned = state.generation.kind { state.generation = .current }
    }

    // MARK: Counting

    /// Notes all reads, until the log is ended.
    func startLog() -> ReadLog {
        let log = ReadLog()
        logs.append(log)
        return log
    }

    /// Ends a log. Logs that began later may continue: asynchronous blocks need not end in order.
    func end(_ log: ReadLog) {
        logs.removeAll { $0 === log }
    }
}

/// The requests of a context to its stores, while a log is active.
final class ReadLog {
    /// A request.
    enum Event {
        /// A fetch by a condition: of objects, their number, or values that are computed from them.
        case fetch(EntityDescription, what: String)
        /// The read of one fault's row, without reading in advance.
        case fault(root: EntityDescription, key: Int64)
        /// The rows of many faults at once.
        case faults(EntityDescription, count: Int)
        /// The far end of a relationship of one object.
        case links(owner: EntityDescription, RelationshipDescription)
        /// The far ends of a relationship of many objects at once.
        case allLinks(RelationshipDescription, count: Int)
    }

    private(set) var events: [Event] = []

    func note(_ event: Event) {
        events.append(event)
    }

    func note(_ request: RowRequest, what: String = "objects") {
        switch request.selection {
        case .key(let key): note(.fault(root: request.entity, key: key))
        case .keys(let keys): note(.faults(request.entity, count: keys.count))
        case .matching: note(.fetch(request.entity, what: what))
        case .farEnd(let origin): note(.links(owner: origin.entity, origin.relationship))
        }
    }
}

/// A store that notes its reads.
final class WatchedStore: ReadableStore {
    private let store: any ReadableStore
    private let log: ReadLog

    init(_ store: any ReadableStore, _ log: ReadLog) {
        self.store = store
        self.log = log
    }

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        log.note(request)
        try store.fetch(request, receive)
    }

    func fetchAhead(
        _ request: RowRequest, _ receive: (StoreRow) throws -> Void
    ) throws -> (any SharedStore)? {
        log.note(request)
        return try store.fetchAhead(request, receive)
    }

    func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?, into writer: RecordWriter
    ) throws -> ReadRow? {
        log.note(.fault(root: root, key: key))
        return try store.readRow(key, ofRoot: root, at: commit, into: writer)
    }

    func greatestKey(ofRoot root: EntityDescription) throws -> Int64? {
        try store.greatestKey(ofRoot: root)
    }

    func count(_ request: RowRequest) throws -> Int {
        log.note(request, what: "the number of objects")
        return try store.count(request)
    }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        log.note(request, what: "values")
        return try store.results(request, query)
    }

    func members(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) throws -> [Int64: [LinkSet.Member]]? {
        let members = try store.members(of: owners, relationship)
        if members != nil { log.note(.allLinks(relationship, count: owners.count)) }
        return members
    }

    func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan {
        try store.plan(of: request, query)
    }
}

/// The part of a context that records errors that could not be thrown immediately, and failed
/// reads. The next save throws them.
final class RecordedErrors {
    private var errors: [any Error] = []
    /// The failed reads: no save succeeds until they succeed.
    var failedReads = FailedReads()

    /// Keeps an error for the next save.
    @inline(never)
    func record(_ error: any Error) {
        errors.append(error)
    }

    /// Whether an error waits for the next save.
    func contains(where isWanted: (any Error) -> Bool) -> Bool { errors.contains(where: isWanted) }

    /// Throws the recorded errors, once.
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

    // MARK: Mistakes that cannot be thrown at once

    /// An object of another context was used.
    func recordOtherContext(_ object: ManagedObject) {
        record(StoreError.otherContext(of: object))
    }

    /// An object was changed that its context has forgotten.
    func recordForgotten(_ object: ManagedObject) {
        record(
            StoreError(
                code: .objectOfAnotherContext,
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
                code: .objectOfAnotherContext,
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

/// The failed reads of a context. No save succeeds until they succeed, or until the changes that
/// need them were reverted.
struct FailedReads {
    /// The target of a read.
    enum Target: Equatable {
        /// The row of an object.
        case row(RowIdentity)
        /// The members of a relationship of an object, by its number.
        case links(RowIdentity, Int)
        /// The result of a fetched property of an object, by its number.
        case fetched(RowIdentity, Int)

        /// The object.
        var id: RowIdentity {
            switch self {
            case .row(let id), .links(let id, _), .fetched(let id, _): id
            }
        }
    }

    private struct Failure {
        let target: Target
        let error: any Error
        /// Whether a change was made without the values of the read. Such a change may be wrong,
        /// and a later read does not correct it.
        var isNeeded = false
    }

    /// By the objects.
    private var failures = [RowIdentity: [Failure]]()

    var isEmpty: Bool { failures.isEmpty }

    /// The error of a read that failed.
    subscript(target: Target) -> (any Error)? { failure(target)?.error }

    private func failure(_ target: Target) -> Failure? {
        failures[target.id]?.first { $0.target == target }
    }

    /// The targets of the failed reads, in the order of the objects.
    var targets: [Target] {
        failures.keys.ordered(by: <).flatMap { id in failures[id]?.map { $0.target } ?? [] }
    }

    /// Whether something of an object could not be read.
    func concerns(_ id: RowIdentity) -> Bool { failures[id] != nil }

    /// The error of the first of them.
    var firstError: (any Error)? { targets.first.flatMap { self[$0] } }

    /// Notes that a read has failed.
    ///
    /// - Returns: Whether the failure is new.
    mutating func insert(_ target: Target, _ error: any Error) -> Bool {
        let isNew = failure(target) == nil
        if isNew { failures[target.id, default: []].append(Failure(target: target, error: error)) }
        return isNew
    }

    /// Notes that a change was made without the values of a failed read.
    mutating func require(_ target: Target) {
        if let number = failures[target.id]?.firstIndex(where: { $0.target == target }) {
            failures[target.id]?[number].isNeeded = true
        }
    }

    /// The error of a change that was made without the values of a failed read; nil if there is
    /// none.
    func errorOfChange(by target: Target) -> (any Error)? {
        guard let failure = failure(target), failure.isNeeded else { return nil }
        return StoreError(
            code: .unreadable,
            message: "The context changed an object based on values that could not be read.",
            remedy: "Discard the change with refresh(_:mergeChanges: false) or rollback(), and "
                + "make it again.",
            underlying: failure.error)
    }

    /// Forgets a read that has succeeded.
    @inline(never)
    mutating func remove(_ target: Target) {
        failures[target.id]?.removeAll { $0.target == target && !$0.isNeeded }
        if failures[target.id]?.isEmpty == true { failures[target.id] = nil }
    }

    /// Forgets the failed reads of an object after its changes were reverted.
    mutating func removeAll(of id: RowIdentity) {
        failures[id] = nil
    }
}
