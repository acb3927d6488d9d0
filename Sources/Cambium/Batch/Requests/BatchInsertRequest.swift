/// Inserts objects directly into the store, without a context: as fast as SQL can, in one
/// transaction. It needs the memory of some thousand rows, however many there are.
///
/// ```swift
/// let request = BatchInsertRequest<Product>(lines) { product, line in
///     product.sku = line.sku
///     product.price = line.price
/// }
/// let result = try context.execute(request)
/// ```
///
/// Values that are not set have the model's defaults. The store's checks apply, and so do all
/// limits and rules of the model, including rules that only the program can check. If a row
/// violates one, the operation throws a ``BatchInsertError`` with its number, and nothing is
/// inserted. No hook of the objects is called, no validation of the program runs, and the number of
/// objects in a to-many relationship is not checked.
///
/// If the entity has unique constraints, ``mergePolicy`` decides about a row with values that
/// another object has.
///
/// Use ``AsyncBatchInsertRequest`` for the rows of an `AsyncSequence`.
///
/// ## Topics
///
/// ### From objects
///
/// - ``init(entityName:handler:)``
/// - ``init(entityName:_:handler:)``
///
/// ### From dictionaries
///
/// - ``init(entityName:objects:)``
///
/// ### Options
///
/// - ``entityName``
/// - ``mergePolicy``
/// - ``resultType``
public struct BatchInsertRequest<Entity: ManagedObject> {
    /// The name of the entity.
    public let entityName: String
    /// The handling of a row with unique values that another object has, in the store or earlier in
    /// the input. Nil, the default, means the context's policy.
    ///
    /// - ``MergePolicy/error``: the operation fails, and nothing is inserted.
    /// - ``MergePolicy/objectTrump``: the stored object gets the values that the row sets, and
    ///   keeps its identity and its other values: "upsert".
    /// - ``MergePolicy/overwrite``: the same, and other properties are set to their defaults.
    /// - ``MergePolicy/storeTrump``, ``MergePolicy/rollback``: the row is skipped.
    ///
    /// A custom policy is not possible: it decides about objects.
    public var mergePolicy: MergePolicy?
    /// The content of the result. Default: the count.
    public var resultType = BatchResultType.count

    /// Creates a closure that fills one row after the other, and returns whether there was one.
    let makeFill: () -> BatchFill<Entity>
    /// Whether the input can be read again, if a store rolls back a transaction that interfered
    /// with another one.
    let canBeReadAgain: Bool

    /// Inserts objects that a handler fills, until it returns true.
    ///
    /// The handler gets the same object at each call, with the model's defaults. The object is not
    /// part of a context, and you must not keep it. If this side keeps the key of a to-one
    /// relationship, the relationship may be set to a saved object of any context of the
    /// coordinator. The object of the call that returns true is not inserted.
    ///
    /// The store is locked meanwhile: the handler must not fetch or save. If it tries to, it gets
    /// an error.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity, for classes with several entities; nil means the
    ///     class's own.
    ///   - handler: Fills the object and returns false, or returns true at the end. If it throws,
    ///     the operation ends, and nothing is inserted.
    public init(
        entityName: String? = nil, handler: @escaping (Entity) throws -> Bool
    ) {
        self.entityName = entityName ?? Entity.entityName
        makeFill = { { object, _ in try !handler(object) } }
        canBeReadAgain = false
    }

    /// Inserts an object for each element of a sequence. A handler fills it.
    ///
    /// If two transactions on a server interfere with each other, the server rolls one of them
    /// back. If this is the insertion, and the sequence is a `Collection`, the insertion begins
    /// again with the first element, and calls the handler again for each element. If the sequence
    /// is not a `Collection`, the insertion throws a ``StoreError`` with `busy`.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity, for classes with several entities; nil means the
    ///     class's own.
    ///   - elements: The elements, one for each object.
    ///   - handler: Fills the object; see ``init(entityName:handler:)``.
    public init<Elements: Sequence>(
        entityName: String? = nil, _ elements: Elements,
        handler: @escaping (Entity, Elements.Element) throws -> Void
    ) {
        self.entityName = entityName ?? Entity.entityName
        canBeReadAgain = elements is any Collection
        makeFill = {
            var iterator = elements.makeIterator()
            return { object, _ in
                guard let element = iterator.next() else { return false }
                try handler(object, element)
                return true
            }
        }
    }

    /// Inserts an object for each dictionary, by the names of properties. The name of a part of a
    /// composite value is its path, with dots. A to-one relationship takes the ``ObjectID/key`` of
    /// the object that it references, as an `.int`.
    ///
    /// A name that the entity does not have, or a value of another type, is a ``BatchInsertError``.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity, for classes with several entities; nil means the
    ///     class's own.
    ///   - objects: The values of each object.
    public init(
        entityName: String? = nil, objects: some Sequence<[String: Value]>
    ) {
        self.entityName = entityName ?? Entity.entityName
        canBeReadAgain = objects is any Collection
        makeFill = {
            var iterator = objects.makeIterator()
            return { _, row in
                guard let values = iterator.next() else { return false }
                try row.set(values)
                return true
            }
        }
    }
}

/// Fills a row, and returns whether there was one.
typealias BatchFill<Entity: ManagedObject> = (_ object: Entity, _ row: BatchRowMaker) throws -> Bool

/// Inserts objects directly into the store for the elements of an `AsyncSequence`.
///
/// ```swift
/// let lines = feed.lines                              // whatever a network sends
/// let request = AsyncBatchInsertRequest<Product, _>(lines) { product, line in
///     product.sku = try sku(of: line)
/// }
/// let result = try await context.execute(request)     // or with a BackgroundContext
/// ```
///
/// Like ``BatchInsertRequest``, it runs in one transaction. The store is not locked while the
/// sequence is awaited: the rows are collected first, in memory if they are few and otherwise in a
/// temporary file. They are written when the sequence has ended. If the task is cancelled, the
/// operation throws a `CancellationError`, and nothing is inserted.
public struct AsyncBatchInsertRequest<Entity: ManagedObject, Elements: AsyncSequence> {
    /// The name of the entity.
    public let entityName: String
    /// The handling of a row with unique values that another object has; see
    /// ``BatchInsertRequest/mergePolicy``.
    public var mergePolicy: MergePolicy?
    /// The content of the result. Default: the count.
    public var resultType = BatchResultType.count

    let elements: Elements
    let fill: (Entity, Elements.Element, BatchRowMaker) throws -> Void

    /// Inserts an object for each element of a sequence. A handler fills it.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity, for classes with several entities; nil means the
    ///     class's own.
    ///   - elements: The elements, one for each object.
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

/// A row that a batch insertion could not insert. Nothing was inserted.
public struct BatchInsertError: Error, Sendable {
    /// The number of the row in the input; the first has number 0.
    public let row: Int
    /// The problem with it: normally a ``ValidationError`` with the property and the limit.
    public let underlying: any Error
}

extension BatchInsertError: CustomStringConvertible {
    /// The row and the problem.
    public var description: String { "Row \(row): \(underlying)" }
}
