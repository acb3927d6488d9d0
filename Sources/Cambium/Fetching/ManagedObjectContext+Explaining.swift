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
