/// Brings the objects of files into the store, straight and in one transaction: JSON, JSON Lines or
/// CSV, in constant memory however long they are.
///
/// ```swift
/// var request = ImportRequest(Product.self, from: .file("products.csv"), as: .csv())
/// request.onError = .keepGoodRows
/// let result = try context.execute(request)
/// print(result.inserted, result.updated, result.errors)
/// ```
///
/// A row whose unique values an object has is dealt with by ``mergePolicy``; the default updates
/// that object. Relationships are given by key: the unique values of what they reference. What
/// they reference may come later in the file, or in another file of the request. A relationship may
/// be a part of the unique values itself: prices that are unique by `product date` are updated by
/// rows with the number of a product and a date.
///
/// The same holds as of a ``BatchInsertRequest``: the store's checks, and all limits and rules of
/// the model; no hook is called and no check of the program's own is run, and members of a to-many
/// are not counted.
///
/// ## Topics
/// - What to read: ``sources``, ``ImportSource``, ``ImportInput``, ``ExchangeFormat``,
///   ``ExchangeEntityField``
/// - What to do: ``mergePolicy``, ``onError``, ``maximumErrors``, ``missingTargets``
/// - What comes out: ``ImportResult``, ``ImportError``, ``progress``
public struct ImportRequest: Sendable {
    /// What is read, one after the other. All of their entities are in one store.
    public var sources: [ImportSource]
    /// What happens to a row whose unique values another object has, in the store or earlier in the
    /// input; see ``BatchInsertRequest/mergePolicy``. Default: ``MergePolicy/objectTrump``, the
    /// object gets what the row sets.
    public var mergePolicy = MergePolicy.objectTrump
    /// What happens when a row cannot be imported. Default: nothing is imported.
    public var onError = ImportErrorHandling.stop
    /// How many errors the result lists, where the import goes on after errors. Default: 100.
    public var maximumErrors = 100
    /// What happens where a relationship leads to an object that is not there. Default: it is an
    /// error of the row.
    public var missingTargets = MissingTargetHandling.error
    /// What the result tells. Default: counts.
    public var resultType = BatchResultType.count
    /// Called after each block of some thousand rows, inside the transaction: it must not use the
    /// store, and nobody can save until it returns.
    public var progress: (@Sendable (ImportProgress) -> Void)?

    /// Imports several sources.
    public init(_ sources: [ImportSource]) {
        self.sources = sources
    }

    /// Imports one source into the entity of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - input: Where the bytes come from.
    ///   - format: What they mean.
    public init<Entity: ManagedObject>(
        _ type: Entity.Type, from input: ImportInput, as format: ExchangeFormat
    ) {
        sources = [ImportSource(type, from: input, as: format)]
    }
}

/// What an import does when a row cannot be imported.
public enum ImportErrorHandling: Sendable, Hashable {
    /// It stops and throws the ``ImportError``; nothing is imported.
    case stop
    /// It leaves the row out and goes on. The result lists the errors, up to
    /// ``ImportRequest/maximumErrors``, and counts all of them.
    ///
    /// Where the input itself cannot be read on (JSON that does not go on as JSON) the rest of the
    /// source is left out.
    case keepGoodRows
}

/// What an import does where a relationship leads to an object that is not there.
public enum MissingTargetHandling: Sendable, Hashable {
    /// It is an error of the row.
    ///
    /// A row whose target might have come later is in the store when that is known. Going on after
    /// errors, the import then keeps it without the link.
    case error
    /// The link is left out: a to-one counts as not given, so that an object that is updated keeps
    /// where it led; a to-many gets the rest of its list. If the relationship is required, or is in
    /// a unique constraint, it is an error all the same.
    case skip
}
