extension ManagedObjectContext {
    /// Brings the objects of files straight into the store, in one transaction.
    ///
    /// Unsaved changes of the context stay as they are and do not count. The import goes on for as
    /// long as there are rows, and ends early where its task is cancelled:
    ///
    /// ```swift
    /// let result = try await container.performBackgroundTask { context in
    ///     try context.execute(ImportRequest(Product.self, from: .file(path), as: .jsonLines))
    /// }
    /// ```
    ///
    /// - Parameter merging: Who hears of it. Default: the contexts of the coordinator, this one
    ///   before the call returns.
    /// - Throws: ``ImportError`` with the place of the first row that could not be imported, where
    ///   ``ImportRequest/onError`` says so; `CancellationError` where the task is cancelled;
    ///   ``StoreError`` where the request names what the model does not have, or a file cannot be
    ///   read; what the store threw. Nothing is imported then.
    /// - Complexity: O(rows); memory for some thousand of them.
    @discardableResult
    public func execute(
        _ request: ImportRequest, merging: BatchMerging = .contexts
    ) throws -> ImportResult {
        _ = try policy(request.mergePolicy)
        let plans = try request.sources.map(plans)
        guard let root = plans.first?.entity.rootIndex else { return ImportResult() }
        let store = coordinator.store(ofRoot: root).identifier
        if let foreign = plans.first(where: {
            coordinator.store(ofRoot: $0.entity.rootIndex).identifier != store
        }) {
            throw StoreError(
                code: .invalidRequest,
                message: "Objects of \(foreign.entity.name) are in another store than those of "
                    + "\(plans[0].entity.name).",
                remedy: "Import the objects of each store with a request of their own.")
        }
        let work = ImportWork(request, plans)
        return work.result(try changes(of: work, root: root, merging))
    }

    private func plans(_ source: ImportSource) throws -> ExchangePlans {
        let model = coordinator.model
        let root =
            source.entityField == nil
            ? try batchEntity(source.entityName) : model[source.entityName]
        guard let root else {
            throw StoreError.unknownEntity(source.entityName, in: model.model)
        }
        let entities = source.entityField == nil ? [root] : model.concreteFamily(of: root)
        guard !entities.isEmpty else {
            throw StoreError.noConcreteEntity(root.name, in: model.model)
        }
        try ExchangePlan.check(source.fieldNames.keys, of: root, entities)
        try ExchangePlan.check(source.relationshipKeys.keys, of: root, entities)
        return try ExchangePlans(root, entities, by: source.entityField, in: model) { entity in
            try ExchangePlan(
                entity, in: model, properties: ExchangePlan.importable(entity),
                fieldNames: source.fieldNames, keys: source.relationshipKeys,
                dates: source.dateFormat)
        }
    }
}
