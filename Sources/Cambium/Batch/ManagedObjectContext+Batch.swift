import CambiumRecords
import CambiumSQLiteStore

// Batch operations: straight to the store, past the context.
extension ManagedObjectContext {
    /// Inserts objects straight into the store, in one transaction.
    ///
    /// Unsaved changes of the context stay as they are and do not count. A child's operation goes
    /// to the store as well, not to its ``parent``.
    ///
    /// - Parameter merging: Who is notified of it. Default: the contexts of the coordinator, this
    ///   one before the call returns.
    /// - Throws: ``BatchInsertError`` with the number of the row that could not be inserted; what
    ///   the handler threw; `CancellationError` where the task is cancelled; ``StoreError``, or
    ///   what the store threw. Nothing is inserted then.
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

    /// Inserts an object straight into the store for each element of a sequence that is awaited, in
    /// one transaction, when the sequence has ended.
    ///
    /// - Parameter merging: Who is notified of it. Default: the contexts of the coordinator, this
    ///   one before the call returns.
    /// - Throws: What the sequence throws; else as
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

    /// Sets properties of all objects that meet a condition straight in the store, in one
    /// transaction.
    ///
    /// Unsaved changes of the context stay as they are and do not count: objects that are changed
    /// here and there keep what was changed here, and a save meets no conflict where the operation
    /// was merged.
    ///
    /// - Parameter merging: Who is notified of it. Default: the contexts of the coordinator, this
    ///   one before the call returns.
    /// - Throws: ``StoreError`` where a property cannot be set; ``ValidationError`` with the object
    ///   that would break a limit or a rule; ``ConstraintConflictError`` where objects would have
    ///   the same unique values; ``ExpressionDiagnostics``; `CancellationError` where the task is
    ///   cancelled; what the store threw. Nothing is changed then.
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

    /// Deletes all objects that meet a condition straight in the store, and follows the delete
    /// rules, in one transaction.
    ///
    /// - Parameter merging: Who is notified of it. Default: the contexts of the coordinator, this
    ///   one before the call returns.
    /// - Throws: ``ValidationError`` with the object and the relationship that keeps it from being
    ///   deleted; `CancellationError` where the task is cancelled; ``StoreError``, or what the store
    ///   threw. Nothing is deleted then.
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
            if let foreign = ids.first(where: {
                !coordinator.hasStore($0.store) || $0.entity.rootIndex != root
            }) {
                throw StoreError(
                    code: .foreignObject,
                    message: "The batch delete names \(foreign), which is in no store of this "
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

    /// How the store keeps dates; nil where it keeps each to the bit.
    package var keptDates: KeptDates? { coordinator.keptDates }
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

    /// Runs a batch operation on the store of a hierarchy, and tells of it.
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

    /// Takes over what a batch operation of this context has changed. A child gets it through its
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
    /// Tells contexts of a batch operation, as of a save; of too many changes, that they should
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
