extension ManagedObjectContext {
    /// Imports the objects of files directly into the store, in one transaction.
    ///
    /// Unsaved changes of the context stay as they are and are ignored. The import runs until all
    /// rows are read, and ends early if its task is cancelled:
    ///
    /// ```swift
    /// let result = try await container.performBackgroundTask { context in
    ///     try context.execute(ImportRequest(Product.self, from: .file(path), as: .jsonLines))
    /// }
    /// ```
    ///
    /// - Parameter merging: The contexts that merge the changes. Default: all contexts of the
    ///   coordinator, and this one before the call returns.
    /// - Throws: If anything is thrown, nothing is imported.
    ///   - ``ImportError`` with the place of the first row that could not be imported, if
    ///     ``ImportRequest/onError`` is set to stop.
    ///   - `CancellationError` if the task is cancelled.
    ///   - ``StoreError`` if the request names a property that the model does not have, or if a
    ///     file cannot be read.
    ///   - The errors of the store.
    /// - Complexity: O(rows); memory for some thousand of them.
    @discardableResult
    public func execute(
        _ request: ImportRequest, merging: BatchMerging = .contexts
    ) throws -> ImportResult {
        let batch = BatchRun(context: self)
        _ = try batch.policy(request.mergePolicy)
        let plans = try request.sources.map { try $0.plans(batch) }
        guard let root = plans.first?.entity.rootIndex else { return ImportResult() }
        let store = batch.storeIdentifier(ofRoot: root)
        if let other = plans.first(where: {
            batch.storeIdentifier(ofRoot: $0.entity.rootIndex) != store
        }) {
            throw StoreError(
                code: .invalidRequest,
                message: "Objects of \(other.entity.name) are in another store than those of "
                    + "\(plans[0].entity.name).",
                remedy: "Import the objects of each store with a request of their own.")
        }
        let work = ImportWork(request, plans)
        return work.result(try batch.run(work, root: root, merging))
    }
}

extension ImportSource {
    /// The conversion of the source's rows to objects.
    fileprivate func plans(_ batch: BatchRun) throws -> ExchangePlans {
        let model = batch.model
        let root = entityField == nil ? try batch.entity(entityName) : model[entityName]
        guard let root else {
            throw StoreError.unknownEntity(entityName, in: model.model)
        }
        let entities = entityField == nil ? [root] : model.concreteFamily(of: root)
        guard !entities.isEmpty else {
            throw StoreError.noConcreteEntity(root.name, in: model.model)
        }
        try ExchangePlan.check(fieldNames.keys, of: root, entities)
        try ExchangePlan.check(relationshipKeys.keys, of: root, entities)
        var dates = dateFormat
        dates.kept = batch.datePrecision
        return try ExchangePlans(root, entities, by: entityField, in: model) { entity in
            try ExchangePlan(
                entity, in: model, properties: ExchangePlan.importable(entity),
                fieldNames: fieldNames, keys: relationshipKeys,
                dates: dates, largestValue: batch.largestValue)
        }
    }
}
