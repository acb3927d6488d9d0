import CambiumRecords

extension ManagedObjectContext {
    /// Returns the objects that a request finds.
    ///
    /// Unsaved changes of this context count: the fetch finds an inserted or changed object if it
    /// meets the condition now. It never finds a deleted object (see
    /// ``FetchRequest/includesPendingChanges``). Objects that the context already has keep their
    /// values.
    ///
    /// A fetch reads only committed data. All rows of one fetch are of one state of the store; on a
    /// database server, this includes the prefetched rows. Two fetches may see two states, if
    /// another context saves between them (read skew). They see one state if the context is at a
    /// query generation or in ``PersistentContainer/performTransaction(isolation:_:)``. See
    /// <doc:Reliability>.
    ///
    /// - Throws: ``StoreError`` if the request cannot be run; any error of the store.
    public func fetch<Entity: ManagedObject>(_ request: FetchRequest<Entity>) throws -> [Entity] {
        mergeIfAutomatic()
        // The sweep runs before the fetch, so that it does not check the objects that are fetched
        // now.
        sweepIfGrown()
        processChanges()
        let rows = try fetching.rowRequest(for: request)
        let options = request.options(for: rows.entity)
        let found = try fetching.objects(rows, prefetching: options.prefetched) {
            try fetching.objects($0, options)
        }
        return found.cast(to: Entity.self)
    }

    /// Returns the first object that ``fetch(_:)-(FetchRequest<Entity>)`` would find, or nil if there is none. It reads
    /// only that object.
    ///
    /// ```swift
    /// let cheapest = try context.fetchFirst(Product.fetchRequest().sorted(by: Product.price))
    /// ```
    ///
    /// - Throws: ``StoreError`` if the request cannot be run; any error of the store.
    public func fetchFirst<Entity: ManagedObject>(
        _ request: FetchRequest<Entity>
    ) throws -> Entity? {
        try fetch(request.limitedToFirst).first
    }

    /// Returns the number of objects that ``fetch(_:)-(FetchRequest<Entity>)`` would find. It creates objects only if
    /// unsaved changes count.
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

    /// The state of the stores that the context reads; for a child context, the state of its
    /// ``parent``.
    public var queryGeneration: QueryGenerationToken {
        parent?.queryGeneration ?? state.generation
    }

    /// Pins the context to one state of the stores, so that saves of other contexts do not change
    /// its reads. ``QueryGenerationToken/current`` means the latest state at its next read; the
    /// ``queryGeneration`` of another context means the state that the other context reads. With
    /// ``QueryGenerationToken/unpinned`` the context reads the latest state again.
    ///
    /// The context moves on to the latest state when it saves, merges or is reset. A pinned state
    /// expires after a time (``StoreOptions/queryGenerationLifetime``); reads then throw
    /// ``QueryGenerationExpired``. Objects that the context has keep their values;
    /// ``refreshAllObjects()`` makes them read again.
    ///
    /// - Throws: ``StoreError`` with `invalidRequest` if the context is a child (it reads what its
    ///   parent reads), or if a store has no query generations. SQLite stores in files and
    ///   PostgreSQL stores have them; stores in memory and custom stores do not.
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
    /// Returns rows of values instead of objects.
    ///
    /// - Throws: ``ExpressionDiagnostics`` if a column or condition does not fit the entity;
    ///   ``StoreError`` if the request cannot be run; any error of the store.
    /// - Complexity: One statement. If unsaved changes count, the fetch reads the objects into the
    ///   context and computes the results from them.
    public func fetch<Entity: ManagedObject, Row>(
        _ request: ResultRequest<Entity, Row>
    ) throws -> [Row] {
        mergeIfAutomatic()
        processChanges()
        return try ResultFetching(context: self).rows(of: request)
    }

    /// Returns the first row that ``fetch(_:)-(ResultRequest<Entity,Row>)`` would find, or nil if
    /// there is none: `try context.fetchFirst(request.select(Product.price.max))`.
    ///
    /// - Throws: The errors of `fetch`.
    public func fetchFirst<Entity: ManagedObject, Row>(
        _ request: ResultRequest<Entity, Row>
    ) throws -> Row? {
        var request = request
        request.base = request.base.limitedToFirst
        return try fetch(request).first
    }
}

extension FetchRequest {
    /// Returns how the store would answer the request. It fetches no rows, and ignores unsaved
    /// changes.
    ///
    /// ```swift
    /// print(try Product.fetchRequest().filter(Product.sku == "A-1").explain(in: context))
    /// ```
    ///
    /// - Throws: ``StoreError`` if the request cannot be run; any error of the store.
    public func explain(in context: ManagedObjectContext) throws -> FetchPlan {
        let rows = try context.fetching.rowRequest(for: self)
        return try context.root.reads.store(of: rows.entity).plan(of: rows, nil)
    }
}

extension ResultRequest {
    /// Returns how the store would answer the request. It fetches no rows, and ignores unsaved
    /// changes.
    ///
    /// - Throws: ``ExpressionDiagnostics`` if a column or condition does not fit the entity;
    ///   ``StoreError`` if the request cannot be run; any error of the store.
    public func explain(in context: ManagedObjectContext) throws -> FetchPlan {
        let (rows, query, _) = try ResultFetching(context: context).resolve(self)
        return try context.root.reads.store(of: rows.entity).plan(of: rows, query)
    }
}

extension ManagedObjectContext {
    /// Finds objects as ``fetch(_:)-(FetchRequest<Entity>)`` does, and leaves the context's
    /// isolation free for other work meanwhile. One of the coordinator's threads reads the rows and
    /// may wait for disks and locks. ``BackgroundContext/perform(_:)`` describes how many threads
    /// there are.
    ///
    /// If the task is cancelled, the statement ends, even while SQLite is sorting. In three cases
    /// the context's isolation does a part of the work, or all of it. These are: there are unsaved
    /// changes that count, the context is a child, or it has merged a save meanwhile.
    ///
    /// ```swift
    /// let products = try await context.fetchInBackground(request) { count in
    ///     print("\(count) so far")
    /// }
    /// ```
    ///
    /// - Parameter progress: Receives the number of rows read so far, after each thousand and at
    ///   the end, on the thread that reads.
    /// - Throws: `CancellationError` if the task was cancelled; otherwise the errors of a fetch.
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
        // The rows may be older than the state that the context has merged meanwhile.
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

    /// Finds rows of values as ``fetch(_:)-(ResultRequest<Entity,Row>)`` does, and leaves the
    /// context's isolation free for other work meanwhile. If the task is cancelled, the statement
    /// ends.
    ///
    /// - Throws: `CancellationError` if the task was cancelled; otherwise the errors of a fetch.
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

/// Reads on another thread.
private enum BackgroundRead {
    /// A row that was read.
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

    /// Runs a body, and throws `CancellationError` in place of any error after a requested
    /// interruption.
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
