/// Inserts objects straight into the store for the elements of an `AsyncSequence`.
///
/// ```swift
/// let lines = feed.lines                              // whatever a network sends
/// let request = AsyncBatchInsertRequest<Product, _>(lines) { product, line in
///     product.sku = try sku(of: line)
/// }
/// let result = try await background.execute(request)  // a BackgroundContext, or a context
/// ```
///
/// It does what ``BatchInsertRequest`` does, and as that in one transaction. The store is free for
/// others while the sequence is awaited: rows are collected first, in memory as long as they are
/// few and then in a temporary file, and written when the sequence has ended. The operation ends
/// with a `CancellationError` where its task is cancelled, and nothing is inserted.
public struct AsyncBatchInsertRequest<Entity: ManagedObject, Elements: AsyncSequence> {
    /// The name of the entity.
    public let entityName: String
    /// What happens to a row whose unique values another object has; see
    /// ``BatchInsertRequest/mergePolicy``.
    public var mergePolicy: MergePolicy?
    /// What the result tells. Default: the count.
    public var resultType = BatchResultType.count

    let elements: Elements
    let fill: (Entity, Elements.Element, BatchRowMaker) throws -> Void

    /// Inserts an object for each element of a sequence, which a handler fills.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity, for classes that serve several; nil means the
    ///     class's own.
    ///   - elements: What the objects are made of.
    ///   - handler: Fills the object; see ``BatchInsertRequest/init(entityName:handler:)``. The
    ///     store is not locked meanwhile.
    public init(
        entityName: String? = nil, _ elements: Elements,
        handler: @escaping (Entity, Elements.Element) throws -> Void
    ) {
        self.entityName = entityName ?? Entity.entityName
        self.elements = elements
        fill = { object, element, _ in try handler(object, element) }
    }

    /// Inserts an object for each dictionary, by the names of properties; see
    /// ``BatchInsertRequest/init(entityName:objects:)``.
    public init(
        entityName: String? = nil, objects: Elements
    ) where Elements.Element == [String: Value] {
        self.entityName = entityName ?? Entity.entityName
        elements = objects
        fill = { _, values, row in try row.set(values) }
    }
}
