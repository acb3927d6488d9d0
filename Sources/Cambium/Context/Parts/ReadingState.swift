import CambiumRecords

/// The part of a context that reads from the stores, or from the parent of a child.
final class ReadingState {
    private let state: ContextState
    let rowWriter = RecordWriter()
    /// Writes the rows of faults that fire, into pages that the row cache shares.
    let faultWriter = RecordWriter()
    // Safety: an access calls nothing that could come back to the same variable.
    /// What the context reads is noted in the last of them, while somebody counts.
    @exclusivity(unchecked) private(set) var logs: [ReadLog] = []

    init(_ state: ContextState) {
        self.state = state
    }

    /// Whether rows may come from the row cache and be kept there: it knows the latest ones only.
    var usesRowCache: Bool { state.parentReader == nil && state.readsLatest }

    /// Where rows of an entity are read from.
    func store(of entity: EntityDescription) -> any ReadableStore {
        let store = state.store(ofRoot: entity.rootIndex)
        return logs.last.map { WatchedStore(store, $0) } ?? store
    }

    /// Brings the row cache up to date, where it has the row.
    ///
    /// - Parameter commit: What the row cache knew before the row was read.
    func updateCache(_ entity: EntityDescription, _ placed: PlacedRecord, readAt commit: Int64) {
        guard usesRowCache else { return }
        state.coordinator.rowCache.insert(
            CollectionOfOne(RowCache.Row(entity: entity, placed: placed)), readAt: commit,
            replacesOnly: true)
    }

    /// Goes on to the latest state of the stores, after a save, a merge or a reset.
    func advanceQueryGeneration() {
        if case .pinned = state.generation.kind { state.generation = .current }
    }

    // MARK: Counting

    /// Notes what is read, until the log is ended.
    func startLog() -> ReadLog {
        let log = ReadLog()
        logs.append(log)
        return log
    }

    /// Those that began later may go on: blocks that wait need not end in order.
    func end(_ log: ReadLog) {
        logs.removeAll { $0 === log }
    }
}
