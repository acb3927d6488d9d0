/// Inserts objects straight into the store, without a context: as fast as SQL can, in one
/// transaction, in the memory of some thousand rows however many there are.
///
/// ```swift
/// let request = BatchInsertRequest<Product>(lines) { product, line in
///     product.sku = line.sku
///     product.price = line.price
/// }
/// let result = try context.execute(request)
/// ```
///
/// Values that are left out start at the model's defaults. The store's checks hold, and so do all
/// limits and rules of the model, those too that only the program can check; a row that breaks one
/// ends the operation with a ``BatchInsertError`` that says which, and nothing is inserted. What
/// does not happen: no hook of the objects is called, no check of the program's own is run, and how
/// many objects a to-many has is not looked at.
///
/// Where the entity has unique constraints, a row whose values another object has is dealt with by
/// ``mergePolicy``.
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
/// - ``mergePolicy``
/// - ``resultType``
public struct BatchInsertRequest<Entity: ManagedObject> {
    /// The name of the entity.
    public let entityName: String
    /// What happens to a row whose unique values another object has, in the store or earlier in the
    /// input. Nil, the default, means the context's policy.
    ///
    /// - ``MergePolicy/error``: the operation fails, and nothing is inserted.
    /// - ``MergePolicy/objectTrump``: the stored object gets the values that the row sets, and
    ///   keeps its identity and its other values: "upsert".
    /// - ``MergePolicy/overwrite``: the same, and what the row does not set becomes the default.
    /// - ``MergePolicy/storeTrump``, ``MergePolicy/rollback``: the row is left out.
    ///
    /// A policy of the program's own cannot be asked: it decides about objects.
    public var mergePolicy: MergePolicy?
    /// What the result tells. Default: the count.
    public var resultType = BatchResultType.count

    /// Makes what fills one row after the other, and says whether there was one.
    let makeFill: () -> BatchFill<Entity>
    /// Whether what is inserted can be read once more, where a store takes a transaction back that
    /// stood in another one's way.
    let canBeReadAgain: Bool

    /// Inserts objects that a handler fills, until it returns true.
    ///
    /// The handler gets the same object at each call, with the model's defaults. It is no part of a
    /// context and is not to be kept. A to-one relationship whose key this side keeps may be set to
    /// a saved object of any context of the coordinator. The object of the call that returns true
    /// is not inserted.
    ///
    /// The store is locked meanwhile: the handler must not fetch or save, and gets an error where
    /// it tries to.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity, for classes that serve several; nil means the
    ///     class's own.
    ///   - handler: Fills the object and returns false, or returns true at the end. What it throws
    ///     ends the operation, and nothing is inserted.
    public init(
        entityName: String? = nil, handler: @escaping (Entity) throws -> Bool
    ) {
        self.entityName = entityName ?? Entity.entityName
        makeFill = { { object, _ in try !handler(object) } }
        canBeReadAgain = false
    }

    /// Inserts an object for each element of a sequence, which a handler fills.
    ///
    /// Two transactions on a server can stand in each other's way; one of them is taken back then.
    /// Where the sequence is a `Collection`, the insertion begins again with its first element, and
    /// calls the handler once more for each. Otherwise it ends with a ``StoreError``, `busy`.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity, for classes that serve several; nil means the
    ///     class's own.
    ///   - elements: What the objects are made of.
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

    /// Inserts an object for each dictionary, by the names of properties. A part of a composite
    /// value has the names on the way to it, joined by dots; a to-one relationship takes the
    /// ``ObjectID/key`` of the object that it references, as an `.int`.
    ///
    /// A name that the entity does not have, or a value of another type, is a ``BatchInsertError``.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity, for classes that serve several; nil means the
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

/// Fills a row, and says whether there was one.
typealias BatchFill<Entity: ManagedObject> = (_ object: Entity, _ row: BatchRowMaker) throws -> Bool

/// Inserts objects straight into the store for the elements of an `AsyncSequence`.
///
/// ```swift
/// let lines = feed.lines                              // whatever a network sends
/// let request = AsyncBatchInsertRequest<Product, _>(lines) { product, line in
///     product.sku = try sku(of: line)
/// }
/// let result = try await context.execute(request)     // or with a BackgroundContext
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

/// A row that a batch insertion could not insert. Nothing was inserted.
public struct BatchInsertError: Error, Sendable {
    /// The number of the row in the input; the first has number 0.
    public let row: Int
    /// What is wrong with it: a ``ValidationError`` as a rule, which names the property and the
    /// limit.
    public let underlying: any Error
}

extension BatchInsertError: CustomStringConvertible {
    /// The row, and what is wrong with it.
    public var description: String { "Row \(row): \(underlying)" }
}
