import CambiumRecords

/// How a store answers a request: the statement, and how its engine finds the rows. For people, to
/// see whether an index helps; the words are SQLite's and change with its version.
public struct FetchPlan: Sendable, Hashable {
    /// The statement, with `?` for values; nil where the store has no statements.
    public let sql: String?
    /// A line for each step, indented by its depth, such as
    /// `SEARCH t USING INDEX Product_sku (sku=?)`.
    public let steps: [String]

    /// Whether a step reads a whole table, or an index as a whole.
    public var scansTable: Bool {
        sql == nil || steps.contains { $0.drop { $0 == " " }.hasPrefix("SCAN ") }
    }
}

extension FetchPlan: CustomStringConvertible {
    /// The statement and the steps, line by line.
    public var description: String {
        ([sql].compactMap(\.self) + steps).joined(separator: "\n")
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
