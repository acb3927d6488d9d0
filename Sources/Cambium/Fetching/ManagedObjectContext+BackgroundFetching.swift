import CambiumRecords

extension ManagedObjectContext {
    /// Finds objects as ``fetch(_:)-(FetchRequest<Entity>)`` does, while the context's isolation is
    /// free for other work: the rows are read on one of the coordinator's threads, which may wait for
    /// disks and locks. See ``BackgroundContext/perform(_:)`` for how many there are.
    ///
    /// Cancelling the task ends the statement, also while SQLite is still sorting. Where unsaved
    /// changes count, in a child, or when the context has merged a save meanwhile, the rest or
    /// all of it is done in the context's isolation after all.
    ///
    /// ```swift
    /// let products = try await context.fetchInBackground(request) { count in
    ///     print("\(count) so far")
    /// }
    /// ```
    ///
    /// - Parameter progress: Told how many rows were read so far, each thousand and at the end, on
    ///   the thread that reads.
    /// - Throws: `CancellationError` where the task was cancelled; else what a fetch throws.
    public func fetchInBackground<Entity: ManagedObject>(
        _ request: FetchRequest<Entity>, isolation: isolated (any Actor)? = #isolation,
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> [Entity] {
        try Task.checkCancellation()
        mergeIfAutomatic()
        processChanges()
        let rows = try fetching.rowRequest(for: request)
        let options = request.options(for: rows.entity)
        guard let store = fetching.sharedStore(for: rows, options), options.includesPropertyValues,
            !options.returnsObjectsAsFaults
        else { return try fetch(request) }
        let merged = merges.mergedCommit
        let commit = coordinator.rowCache.commit
        var wanted = rows.leavingOrderFree
        wanted.interruption = .ofTask
        let read = try await coordinator.threads.run { [wanted] in
            try BackgroundRead.rows(wanted, store, progress)
        }
        try Task.checkCancellation()
        // What was read may be older than what the context knows by now.
        guard merges.mergedCommit == merged,
            !(options.includesPendingChanges && fetching.countsPendingChanges)
        else { return try fetch(request) }
        let found = try fetching.objects(of: wanted, readAt: commit) { receive in
            let values = BackgroundRow()
            let current = StoreRow(values: values)
            for row in read {
                values.move(current, to: row)
                try receive(current)
            }
        }
        if !options.prefetched.isEmpty {
            try prefetching.prefetch(options.prefetched, of: found, rows.entity)
        }
        sweepIfGrown()
        return found.cast(to: Entity.self)
    }

    /// Finds rows of values as ``fetch(_:)-(ResultRequest<Entity,Row>)`` does, while the context's
    /// isolation is free for other work. Cancelling the task ends the statement.
    ///
    /// - Throws: `CancellationError` where the task was cancelled; else what a fetch throws.
    public func fetchInBackground<Entity: ManagedObject, Row>(
        _ request: ResultRequest<Entity, Row>, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Row] {
        try Task.checkCancellation()
        mergeIfAutomatic()
        processChanges()
        let fetching = ResultFetching(context: self)
        let (rows, query, names) = try fetching.resolve(request)
        let options = request.base.options(for: rows.entity)
        guard let store = self.fetching.sharedStore(for: rows, options) else {
            return try fetch(request)
        }
        var wanted = rows
        wanted.interruption = .ofTask
        let results = try await coordinator.threads.run { [wanted] in
            try BackgroundRead.results(wanted, query, store)
        }
        try Task.checkCancellation()
        return try fetching.makeRows(results, request, query, names)
    }
}

/// Reading on another thread.
private enum BackgroundRead {
    /// A row, read.
    struct Row: Sendable {
        let key: Int64
        let version: Int64
        let entity: Int
        let placed: PlacedRecord
    }

    static func rows(
        _ request: RowRequest, _ store: any SharedStore, _ progress: (@Sendable (Int) -> Void)?
    ) throws -> [Row] {
        try cancellable(request) {
            let writer = RecordWriter()
            var rows: [Row] = []
            try store.fetch(request) { row in
                if request.interruption?.isRequested == true { throw CancellationError() }
                rows.append(
                    Row(
                        key: row.key, version: row.version, entity: row.entity,
                        placed: try row.record(in: writer)))
                if rows.count.isMultiple(of: 1000) { progress?(rows.count) }
            }
            progress?(rows.count)
            return rows
        }
    }

    static func results(
        _ request: RowRequest, _ query: TypedResults, _ store: any SharedStore
    ) throws -> [[Value]] {
        try cancellable(request) { try store.results(request, query) }
    }

    /// An error that follows from the wish for the end is that end.
    private static func cancellable<Result>(
        _ request: RowRequest, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch  where request.interruption?.isRequested == true {
            throw CancellationError()
        }
    }
}

/// A row that was read before.
private final class BackgroundRow: RowValues {
    private var placed: PlacedRecord?

    func move(_ row: StoreRow, to read: BackgroundRead.Row) {
        placed = read.placed
        row.move(to: read.key, version: read.version, entity: read.entity)
    }

    func record(of row: StoreRow, in writer: RecordWriter) -> PlacedRecord? { placed }
}
