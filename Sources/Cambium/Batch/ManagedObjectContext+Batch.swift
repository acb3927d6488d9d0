import CambiumRecords
import CambiumSQLiteStore

// Batch operations: straight to the store, past the context.
extension ManagedObjectContext {
    /// Inserts objects directly into the store, in one transaction.
    ///
    /// Unsaved changes of the context are kept and are not considered. The operation of a child
    /// writes to the store as well, not to its ``parent``.
    ///
    /// - Parameter merging: The receivers of the changes. Default: the contexts of the coordinator;
    ///   this one has merged them before the call returns.
    /// - Throws: ``BatchInsertError`` with the number of the row that could not be inserted; the
    ///   error of the handler; `CancellationError` if the task is cancelled; ``StoreError``, or any
    ///   error of the store. After an error, no object is inserted.
    @discardableResult
    public func execute<Entity>(
        _ request: BatchInsertRequest<Entity>, merging: BatchMerging = .contexts
    ) throws -> BatchResult {
        let entity = try batch.entity(request.entityName)
        let policy = try batch.policy(request.mergePolicy)
        func begin() throws -> BatchInsertion.Rows {
            let rows = BatchRowMaker(entity, coordinator, policy: policy)
            let object = try rows.object(as: Entity.self)
            let fill = request.makeFill()
            return { count in try rows.make(count) { try fill(object, rows) } }
        }
        let insertion = BatchInsertion(
            entity, policy, request.resultType, restart: request.canBeReadAgain ? begin : nil,
            nextRows: try begin())
        return try batch.run(insertion, root: entity.rootIndex, merging)
    }

    /// Inserts an object directly into the store for each element of an asynchronous sequence, in
    /// one transaction, when the sequence has ended.
    ///
    /// - Parameter merging: The receivers of the changes. Default: the contexts of the coordinator;
    ///   this one has merged them before the call returns.
    /// - Throws: The error of the sequence; otherwise as
    ///   ``execute(_:merging:)-(BatchInsertRequest<Entity>,_)``.
    @discardableResult
    public func execute<Entity, Elements>(
        _ request: AsyncBatchInsertRequest<Entity, Elements>, merging: BatchMerging = .contexts,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> BatchResult {
        let entity = try batch.entity(request.entityName)
        let policy = try batch.policy(request.mergePolicy)
        let rows = BatchRowMaker(entity, coordinator, policy: policy)
        let object = try rows.object(as: Entity.self)
        let spool = Spool(BatchRowForm(entity))
        var iterator = request.elements.makeAsyncIterator()
        while let element = try await iterator.next(isolation: isolation) {
            try Task.checkCancellation()
            try rows.begin()
            try request.fill(object, element, rows)
            try spool.append(rows.finish())
        }
        try Task.checkCancellation()
        let insertion = BatchInsertion(entity, policy, request.resultType, nextRows: spool.next)
        return try batch.run(insertion, root: entity.rootIndex, merging)
    }

    /// Sets properties of all objects that match a condition, directly in the store, in one
    /// transaction.
    ///
    /// Unsaved changes of the context are kept, and the operation ignores them. If both the context
    /// and the operation change an object, the object keeps the changes of the context. If the
    /// context has merged the operation, its next save has no conflict with the operation.
    ///
    /// - Parameter merging: The receivers of the changes. Default: the contexts of the coordinator;
    ///   this one has merged them before the call returns.
    /// - Throws: ``StoreError`` if a property cannot be set; ``ValidationError`` with the object
    ///   that would violate a limit or a rule; ``ConstraintConflictError`` if objects would have
    ///   the same unique values; ``ExpressionDiagnostics`` if the condition or an assigned
    ///   expression does not fit the entity; `CancellationError` if the task is cancelled; any
    ///   error of the store. After an error, no object is changed.
    @discardableResult
    public func execute<Entity>(
        _ request: BatchUpdateRequest<Entity>, merging: BatchMerging = .contexts
    ) throws -> BatchResult {
        let rows = try fetching.rowRequest(for: request.objects)
        let assignments = try BatchAssignments(
            request.assignments, of: rows.entity, in: coordinator)
        let update = BatchUpdate(
            request: rows, assignments: assignments, resultType: request.resultType)
        return try batch.run(update, root: rows.entity.rootIndex, merging)
    }

    /// Deletes all objects that match a condition, directly in the store, and applies the delete
    /// rules, in one transaction.
    ///
    /// - Parameter merging: The receivers of the changes. Default: the contexts of the coordinator;
    ///   this one has merged them before the call returns.
    /// - Throws: ``ValidationError`` with the object and the relationship that prevents its
    ///   deletion; `CancellationError` if the task is cancelled; ``StoreError``, or any error of
    ///   the store. After an error, no object is deleted.
    @discardableResult
    public func execute<Entity>(
        _ request: BatchDeleteRequest<Entity>, merging: BatchMerging = .contexts
    ) throws -> BatchResult {
        let rows: RowRequest
        switch request.selection {
        case .matching(let objects):
            rows = try fetching.rowRequest(for: objects)
        case .ids(let ids):
            guard let first = ids.first else { return BatchResult() }
            let root = first.entity.rootIndex
            if let misplaced = ids.first(where: {
                !coordinator.hasStore($0.store) || $0.entity.rootIndex != root
            }) {
                throw StoreError(
                    code: .objectOfAnotherContext,
                    message: "The batch delete names \(misplaced), which is in no store of this "
                        + "context, or of another hierarchy than \(first).",
                    remedy: "Delete the objects of each hierarchy with a request of their own.")
            }
            rows = RowRequest(
                entity: coordinator.model.entities[root], selection: .keys(ids.map { $0.key }))
        }
        let deletion = BatchDeletion(request: rows, resultType: request.resultType)
        return try batch.run(deletion, root: rows.entity.rootIndex, merging)
    }
}

/// Runs batch operations of a context.
package struct BatchRun: ContextAccess {
    let context: ManagedObjectContext

    package init(context: ManagedObjectContext) {
        self.context = context
    }

    /// The model of the context's stores.
    package var model: ModelDescription { coordinator.model }

    /// The store's format of dates; nil if it keeps each exactly.
    package var datePrecision: StoredDatePrecision? { coordinator.datePrecision }
    /// The greatest number of bytes of a value; nil for any.
    package var largestValue: Int? { coordinator.largestValue }

    /// The identity of the store that has the rows of a hierarchy.
    package func storeIdentifier(ofRoot root: Int) -> StoreIdentifier {
        coordinator.store(ofRoot: root).identifier
    }

    package func entity(_ name: String) throws -> EntityDescription {
        guard let entity = coordinator.model[name], !entity.isAbstract else {
            throw StoreError.noConcreteEntity(name, in: coordinator.model.model)
        }
        return entity
    }

    package func policy(_ wanted: MergePolicy?) throws -> MergePolicy {
        let policy = wanted ?? context.mergePolicy
        guard case .custom = policy else { return policy }
        throw StoreError.invalidRequest(
            "A batch insertion cannot use a custom merge policy, which decides about "
                + "objects.",
            remedy: "Set the request's mergePolicy to another one.")
    }

    package func run(
        _ work: some BatchWork, root: Int, _ merging: BatchMerging
    ) throws -> BatchResult {
        let changes = try changes(of: work, root: root, merging)
        var result = BatchResult()
        result.count = changes.count
        result.objectIDs = changes.objectIDs
        result.changes = RemoteChanges(changes)
        return result
    }

    /// Runs a batch operation on the store of a hierarchy, and notifies of it.
    func changes(
        of work: any BatchWork, root: Int, _ merging: BatchMerging
    ) throws -> BatchChanges {
        try context.requireWritable()
        if context.root.state.transaction != nil {
            throw StoreError.invalidRequest(
                "A batch operation cannot be part of performTransaction(isolation:_:).",
                remedy: "Change objects there, or run the operation outside.")
        }
        let store = coordinator.store(ofRoot: root)
        var made = BatchChanges(
            coordinator.model, store: store.identifier, listsAll: false, attachesRows: false)
        var changeSet: ChangeSet?
        try store.run(work, by: context.author, attachesRows: merging == .contexts) { changes in
            made = changes
            if merging == .contexts, !changes.isEmpty {
                changeSet = coordinator.publish(changes, from: context.identifier)
            }
        }
        if let changeSet { merge(changeSet) }
        return made
    }

    /// Merges the changes of a batch operation of this context. A child receives them through its
    /// ancestors.
    private func merge(_ changeSet: ChangeSet) {
        guard let parent else { return Merge(context: context).own(changeSet) }
        parent.batch.merge(changeSet)
        Merge(context: context).pending(deferring: .conflicts)
    }
}

extension ContextAccess {
    var batch: BatchRun { BatchRun(context: context) }
}

extension PersistentStoreCoordinator {
    /// Notifies contexts of a batch operation, as of a save. If there are too many changes, they
    /// read everything again.
    fileprivate func publish(_ changes: BatchChanges, from origin: ContextIdentifier) -> ChangeSet {
        if let entities = changes.entities {
            return publish(entities, from: origin, store: changes.store)
        }
        return publishLoss(from: origin, store: changes.store)
    }
}

extension BackgroundContext {
    /// Inserts an object straight into the store for each element of a sequence that is awaited;
    /// see ``ManagedObjectContext/execute(_:merging:isolation:)``. Between the elements the context
    /// is free for others.
    @discardableResult
    public func execute<Entity, Elements>(
        _ request: sending AsyncBatchInsertRequest<Entity, Elements>,
        merging: BatchMerging = .contexts
    ) async throws -> BatchResult {
        try await context.execute(request, merging: merging)
    }
}
