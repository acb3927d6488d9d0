import CambiumRecords

extension ManagedObjectContext {
    /// Finds objects.
    ///
    /// Unsaved changes of this context count: a new or changed object is found when it meets the
    /// condition now, a deleted one is not (see ``FetchRequest/includesPendingChanges``). An object
    /// that the context has already keeps its values.
    ///
    /// Only what was committed is read. The rows of one fetch are of one state of the store; on a
    /// database server those that it prefetches, too. Two fetches may see two states, with a save of
    /// another context between them (read skew), unless the context is at a query generation or in
    /// ``PersistentContainer/performTransaction(isolation:_:)``. See <doc:Reliability>.
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func fetch<Entity: ManagedObject>(_ request: FetchRequest<Entity>) throws -> [Entity] {
        mergeIfAutomatic()
        // Before there are more: those that are found now are not looked at in vain.
        sweepIfGrown()
        processChanges()
        let rows = try fetching.rowRequest(for: request)
        let options = request.options(for: rows.entity)
        let found = try fetching.objects(rows, prefetching: options.prefetched) {
            try fetching.objects($0, options)
        }
        return found.cast(to: Entity.self)
    }

    /// The first object that ``fetch(_:)-(FetchRequest<Entity>)`` would find, or nil where there is none. No more is read.
    ///
    /// ```swift
    /// let cheapest = try context.fetchFirst(Product.fetchRequest().sorted(by: Product.price))
    /// ```
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func fetchFirst<Entity: ManagedObject>(
        _ request: FetchRequest<Entity>
    ) throws -> Entity? {
        try fetch(request.limitedToFirst).first
    }

    /// Counts what ``fetch(_:)-(FetchRequest<Entity>)`` would find, without making objects where that can be avoided.
    public func count<Entity: ManagedObject>(for request: FetchRequest<Entity>) throws -> Int {
        mergeIfAutomatic()
        processChanges()
        let rows = try fetching.rowRequest(for: request)
        let includesPendingChanges = request.options(for: rows.entity).includesPendingChanges
        guard includesPendingChanges, fetching.countsPendingChanges else {
            let count = max(0, try reads.store(of: rows.entity).count(rows) - rows.offset)
            return rows.limit.map { min($0, count) } ?? count
        }
        return try fetching.objects(rows, true).count
    }

    /// The state of the stores that the context reads from; of a child, that of its ``parent``.
    public var queryGeneration: QueryGenerationToken {
        parent?.queryGeneration ?? state.generation
    }

    /// Makes the context read one state of the stores, whatever other contexts save meanwhile: the
    /// latest one from its next read on (``QueryGenerationToken/current``), or the one that another
    /// context reads (its ``queryGeneration``). ``QueryGenerationToken/unpinned`` reads the latest
    /// again.
    ///
    /// The state goes on to the latest when the context saves, merges or is reset, and ends after a
    /// time (``StoreOptions/queryGenerationLifetime``): reads throw ``QueryGenerationExpired``
    /// then. Objects that the context has keep their values; ``refreshAllObjects()`` makes them
    /// read again.
    ///
    /// - Throws: ``StoreError`` with `invalidRequest` where a store has no such states: one in memory, or
    ///   of a program's own. SQLite's in files have them, and those on PostgreSQL. In a child: it reads
    ///   what its parent reads.
    public func setQueryGeneration(_ token: QueryGenerationToken) throws {
        if parent != nil {
            throw StoreError.invalidRequest(
                "A child context has no query generation of its own.",
                remedy: "Set that of the parent, from which it reads.")
        }
        if state.transaction != nil {
            throw StoreError.invalidRequest(
                "In the closure of performTransaction(isolation:_:) the context reads what its "
                    + "transaction sees.",
                remedy: "Set a query generation in another context.")
        }
        if case .transaction = token.kind {
            throw StoreError.invalidRequest(
                "No other context can read in a transaction of performTransaction(isolation:_:).",
                remedy: "Set the query generation to .current.")
        }
        if case .pinned(let generation) = token.kind,
            generation.settings != coordinator.transactionSettings
        {
            throw StoreError.invalidRequest(
                "The query generation is of a context with other transactionSettings.",
                remedy: "Set the query generation to .current.")
        }
        if token != .unpinned { try QueryGeneration.requireSupport(by: coordinator) }
        state.generation = token
    }
}

extension ManagedObjectContext {
    /// Finds rows of values instead of objects.
    ///
    /// - Throws: ``ExpressionDiagnostics`` where a column or condition does not fit the entity;
    ///   ``StoreError`` where the request cannot be run; what the store threw.
    /// - Complexity: One statement. With unsaved changes that count, the objects that the request
    ///   finds are read into the context and the results computed from them.
    public func fetch<Entity: ManagedObject, Row>(
        _ request: ResultRequest<Entity, Row>
    ) throws -> [Row] {
        mergeIfAutomatic()
        processChanges()
        return try ResultFetching(context: self).rows(of: request)
    }

    /// The first row that ``fetch(_:)-(ResultRequest<Entity,Row>)`` would find, or nil where there
    /// is none: `try context.fetchFirst(request.select(Product.price.max))`.
    ///
    /// - Throws: As `fetch`.
    public func fetchFirst<Entity: ManagedObject, Row>(
        _ request: ResultRequest<Entity, Row>
    ) throws -> Row? {
        var request = request
        request.base = request.base.limitedToFirst
        return try fetch(request).first
    }
}

extension FetchRequest {
    /// How the store would answer the request. Nothing is fetched; unsaved changes take no part.
    ///
    /// ```swift
    /// print(try Product.fetchRequest().filter(Product.sku == "A-1").explain(in: context))
    /// ```
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func explain(in context: ManagedObjectContext) throws -> FetchPlan {
        let rows = try context.fetching.rowRequest(for: self)
        return try context.root.reads.store(of: rows.entity).plan(of: rows, nil)
    }
}

extension ResultRequest {
    /// How the store would answer the request. Nothing is fetched; unsaved changes take no part.
    ///
    /// - Throws: ``ExpressionDiagnostics`` where a column or condition does not fit the entity;
    ///   ``StoreError`` where the request cannot be run; what the store threw.
    public func explain(in context: ManagedObjectContext) throws -> FetchPlan {
        let (rows, query, _) = try ResultFetching(context: context).resolve(self)
        return try context.root.reads.store(of: rows.entity).plan(of: rows, query)
    }
}

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
        wanted.prefetched = try prefetching.relationships(
            along: options.prefetched, of: rows.entity)
        let (read, ahead) = try await coordinator.threads.run { [wanted] in
            try BackgroundRead.rows(wanted, store, progress)
        }
        try Task.checkCancellation()
        // What was read may be older than what the context knows by now.
        guard merges.mergedCommit == merged,
            !(options.includesPendingChanges && fetching.countsPendingChanges)
        else { return try fetch(request) }
        let found = try reads.withReadAhead {
            let found = try fetching.objects(of: wanted, readAt: commit) { receive in
                let values = BackgroundRow()
                let current = StoreRow(values: values)
                for row in read {
                    values.move(current, to: row)
                    try receive(current)
                }
            }
            reads.use(ahead, readWith: rows.entity)
            try prefetching.prefetch(wanted.prefetched, of: found)
            return found
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
    ) throws -> (rows: [Row], ahead: (any SharedStore)?) {
        try cancellable(request) {
            let writer = RecordWriter()
            var rows: [Row] = []
            let ahead = try store.fetchAhead(request) { row in
                if request.interruption?.isRequested == true { throw CancellationError() }
                rows.append(
                    Row(
                        key: row.key, version: row.version, entity: row.entity,
                        placed: try row.record(in: writer)))
                if rows.count.isMultiple(of: 1000) { progress?(rows.count) }
            }
            progress?(rows.count)
            return (rows, ahead)
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
