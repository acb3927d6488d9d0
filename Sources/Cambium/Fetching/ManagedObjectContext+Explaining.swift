import CambiumRecords

extension FetchRequest {
    /// How the store would answer the request. Nothing is fetched; unsaved changes take no part.
    ///
    /// ```swift
    /// print(try Product.fetchRequest().filter(Product.sku == "A-1").explain(in: context))
    /// ```
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func explain(in context: ManagedObjectContext) throws -> FetchPlan {
        let rows = try context.rowRequest(for: self)
        return try context.rootStore(of: rows.entity).plan(of: rows, nil)
    }
}

extension ResultRequest {
    /// How the store would answer the request. Nothing is fetched; unsaved changes take no part.
    ///
    /// - Throws: ``ExpressionDiagnostics`` where a column or condition does not fit the entity;
    ///   ``StoreError`` where the request cannot be run; what the store threw.
    public func explain(in context: ManagedObjectContext) throws -> FetchPlan {
        let (rows, query, _) = try context.resolve(self)
        return try context.rootStore(of: rows.entity).plan(of: rows, query)
    }
}

extension ManagedObjectContext {
    /// The store that a context's outermost parent reads from.
    fileprivate func rootStore(of entity: EntityDescription) -> any ReadableStore {
        parent?.rootStore(of: entity) ?? store(of: entity)
    }
}
