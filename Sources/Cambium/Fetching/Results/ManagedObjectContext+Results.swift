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
