/// Imports the objects of JSON, JSON Lines or CSV files directly into the store.
///
/// ```swift
/// var request = ImportRequest(Product.self, from: .file("products.csv"), as: .csv())
/// request.onError = .skipInvalidRows
/// let result = try context.execute(request)
/// print(result.inserted, result.updated, result.errors)
/// ```
///
/// An import runs in one transaction, and in constant memory regardless of the size of the files.
///
/// If an object already has a row's unique values, ``mergePolicy`` decides; the default updates
/// that object. Relationships are given by key: the unique values of their destinations. The
/// destination may come later in the file, or in another file of the request. A relationship may be
/// a part of the unique values itself. If prices are unique by `product date`, rows with the number
/// of a product and a date update them.
///
/// As in a ``BatchInsertRequest``, the checks of the store and all limits and rules of the model
/// apply. Hooks and the program's own checks are not called, and the members of a to-many
/// relationship are not counted.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(_:from:as:)``
/// - ``init(_:)``
///
/// ### Sources
///
/// - ``sources``
/// - ``ImportSource``
/// - ``ImportInput``
/// - ``ExchangeFormat``
/// - ``ExchangeEntityField``
///
/// ### Conflicts and errors
///
/// - ``mergePolicy``
/// - ``onError``
/// - ``maximumErrors``
/// - ``missingTargets``
///
/// ### Results
///
/// - ``resultType``
/// - ``ImportResult``
/// - ``ImportError``
/// - ``progress``
public struct ImportRequest: Sendable {
    /// The sources, read in this order. All of their entities are in one store.
    public var sources: [ImportSource]
    /// The merge policy for a row with the unique values of another object, in the store or earlier
    /// in the input; see ``BatchInsertRequest/mergePolicy``. Default: ``MergePolicy/objectTrump``,
    /// which sets the row's values in that object.
    public var mergePolicy = MergePolicy.objectTrump
    /// The action if a row cannot be imported. Default: nothing is imported.
    public var onError = ImportErrorHandling.stop
    /// The maximum number of errors that the result lists, if the import continues after errors.
    /// Default: 100.
    public var maximumErrors = 100
    /// The action if the destination of a relationship does not exist. Default: an error of the
    /// row.
    public var missingTargets = MissingTargetHandling.error
    /// The kind of result. Default: counts.
    public var resultType = BatchResultType.count
    /// Called after each block of some thousand rows, inside the transaction. It must not use the
    /// store, and no other context can save until it returns.
    public var progress: (@Sendable (ImportProgress) -> Void)?

    /// Imports several sources.
    public init(_ sources: [ImportSource]) {
        self.sources = sources
    }

    /// Imports one source into the entity of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - input: The source of the bytes.
    ///   - format: The format of the bytes.
    public init<Entity: ManagedObject>(
        _ type: Entity.Type, from input: ImportInput, as format: ExchangeFormat
    ) {
        sources = [ImportSource(type, from: input, as: format)]
    }
}

/// The action of an import if a row cannot be imported.
public enum ImportErrorHandling: Sendable, Hashable {
    /// The import stops and throws the ``ImportError``. No row is imported.
    case stop
    /// The import skips the row and continues. The result lists the errors, up to
    /// ``ImportRequest/maximumErrors``, and counts all of them.
    ///
    /// If the input itself is damaged, such as invalid JSON, the rest of the source is skipped.
    case skipInvalidRows
}

/// The action of an import if the destination of a relationship does not exist.
public enum MissingTargetHandling: Sendable, Hashable {
    /// The row is an error.
    ///
    /// If the destination might come later in the input, the row is written before the error is
    /// known. If the import continues after errors, it then keeps the row without the link.
    case error
    /// The object is imported without the link. A to-one relationship counts as not given, so an
    /// updated object keeps its destination. A to-many relationship gets the rest of its list. If
    /// the relationship is required, or is in a unique constraint, the missing destination is an
    /// error.
    case skip
}

/// An input of an import with its format, the entity of its rows and the names of its fields.
///
/// | a property | in JSON | in CSV |
/// |---|---|---|
/// | attribute | a member of its name | a column of its name |
/// | part of a composite value | a nested object | a column `address.street` |
/// | to-one relationship | the key, or an object of its properties | the key; `category.name` |
/// | to-many relationship | an array of keys | a list of keys |
///
/// Integers, decimals and floating-point numbers are numbers. Decimals may also be strings, to keep
/// more digits. Dates are in ISO 8601, data in Base64, enumerations are their raw values, and
/// codable values are JSON.
///
/// If a field is missing, a new object gets the model's default, and an updated object keeps its
/// value. A JSON `null` is nil. For an optional attribute, an empty CSV field is nil, and quotes
/// (`""`) mean an empty string. For a required attribute, an empty CSV field counts as missing.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(_:from:as:)``
/// - ``init(entityName:from:as:)``
///
/// ### Input
///
/// - ``input``
/// - ``format``
/// - ``columns``
/// - ``dateFormat``
///
/// ### Entities
///
/// - ``entityName``
/// - ``entityField``
///
/// ### Names and keys
///
/// - ``fieldNames``
/// - ``relationshipKeys``
public struct ImportSource: Sendable {
    /// The name of the entity. All rows are of this entity, unless ``entityField`` names a
    /// sub-entity.
    public let entityName: String
    /// The source of the bytes.
    public let input: ImportInput
    /// The format of the bytes.
    public let format: ExchangeFormat
    /// The file's names of properties that differ from the model's: the file's name by the
    /// property's. `["sku": "Article number", "address": "addr"]`
    ///
    /// The parts of a composite value or of a key get the new name too (`addr.street`), unless they
    /// are listed themselves (`address.street`).
    public var fieldNames: [String: String] = [:]
    /// The names of the columns, for a CSV file without a header line. Nil: the first line contains
    /// the names.
    public var columns: [String]?
    /// The field that names the entity of each row: the source's own, or a sub-entity. Default:
    /// nil, all rows are of the source's entity.
    ///
    /// ```swift
    /// var source = ImportSource(Party.self, from: .file("parties.csv"), as: .csv())
    /// source.entityField = "type"
    /// ```
    ///
    /// The source's entity may be abstract. A row has the fields of its own entity; its other
    /// fields are ignored. These are errors of the row:
    ///
    /// - The row has no word, or its word means no entity that can have objects.
    /// - The row would update an object of another entity: the entity of an object never changes.
    public var entityField: ExchangeEntityField?
    /// The properties of the unique constraint by which a relationship names its destinations, by
    /// the relationship's name. Use it if a destination has several unique constraints. Default:
    /// the first constraint that has attributes only, or else the first one that has a
    /// relationship.
    ///
    /// A relationship in a constraint is named by a constraint of its own destination.
    public var relationshipKeys: [String: [String]] = [:]
    /// The format of dates. Default: ISO 8601.
    public var dateFormat = ExchangeDateFormat.iso8601

    /// Creates a source with rows of the entity of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - input: The source of the bytes.
    ///   - format: The format of the bytes.
    public init<Entity: ManagedObject>(
        _ type: Entity.Type, from input: ImportInput, as format: ExchangeFormat
    ) {
        self.init(entityName: Entity.entityName, from: input, as: format)
    }

    /// Creates a source with rows of a named entity, for classes of several entities.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - input: The source of the bytes.
    ///   - format: The format of the bytes.
    public init(entityName: String, from input: ImportInput, as format: ExchangeFormat) {
        self.entityName = entityName
        self.input = input
        self.format = format
    }
}

/// The source of the bytes of an import.
public struct ImportInput: Sendable {
    /// A block has some thousand rows, the amount that one statement writes.
    static let blockSize = 1 << 20

    enum Content: Sendable {
        case file(String)
        case data(Data)
        case temporary(SystemFile)
    }

    let content: Content
    /// The name of the input in errors; nil if it has none.
    let name: String?

    private init(_ content: Content, name: String? = nil) {
        self.content = content
        self.name = name
    }

    /// A file, read in blocks during the import. Other contexts cannot save until the import ends,
    /// because it runs in one transaction. If the file delays its reader, such as a named pipe or a
    /// file on a slow network, collect it first; see ``init(collecting:isolation:)``.
    public static func file(_ path: String) -> ImportInput {
        ImportInput(.file(path), name: path)
    }

    /// The file that a URL names; see ``file(_:)-(String)``. If the URL does not name a file, such
    /// as a web address, collect the bytes first.
    public static func file(_ url: URL) -> ImportInput { .file(url.pathOfFile) }

    /// Bytes in memory.
    public static func data(_ data: Data) -> ImportInput {
        ImportInput(.data(data))
    }

    /// A text in memory.
    public static func text(_ text: String) -> ImportInput {
        ImportInput(.data(Data(text.utf8)))
    }

    /// Collects the blocks of bytes of an `AsyncSequence`, such as a download.
    ///
    /// The blocks are first collected in a temporary file, so that the store is not locked
    /// meanwhile. The file is deleted together with the input.
    ///
    /// - Throws: The error of the sequence; ``StoreError`` if there is no space for the file;
    ///   `CancellationError` if the task is cancelled.
    public init<Blocks: AsyncSequence>(
        collecting blocks: Blocks, isolation: isolated (any Actor)? = #isolation
    ) async throws where Blocks.Element: Sequence<UInt8> {
        let file = try reportingFiles { try SystemFile.temporary() }
        var iterator = blocks.makeAsyncIterator()
        while let block = try await iterator.next(isolation: isolation) {
            try Task.checkCancellation()
            try reportingFiles { try file.append(Array(block)) }
        }
        self.init(.temporary(file))
    }

    /// Collects the bytes of an `AsyncSequence`; see ``init(collecting:isolation:)``.
    public init<Bytes: AsyncSequence>(
        collectingBytes bytes: Bytes, isolation: isolated (any Actor)? = #isolation
    ) async throws where Bytes.Element == UInt8 {
        let file = try reportingFiles { try SystemFile.temporary() }
        var iterator = bytes.makeAsyncIterator()
        var block: [UInt8] = []
        while let byte = try await iterator.next(isolation: isolation) {
            block.append(byte)
            guard block.count >= Self.blockSize else { continue }
            try Task.checkCancellation()
            try reportingFiles { try file.append(block) }
            block.removeAll(keepingCapacity: true)
        }
        try reportingFiles { try file.append(block) }
        self.init(.temporary(file))
    }
}

/// The result of an import.
public struct ImportResult: Sendable {
    /// The number of inserted objects.
    public internal(set) var inserted = 0
    /// The number of rows that updated an existing object with the same unique values. Several rows
    /// for the same object all count.
    public internal(set) var updated = 0
    /// The number of rows that were skipped, according to the merge policy, because an object had
    /// the same unique values.
    public internal(set) var skipped = 0
    /// The number of errors. A row may have several.
    public internal(set) var errorCount = 0
    /// The first errors, up to ``ImportRequest/maximumErrors``.
    public internal(set) var errors: [ImportError] = []
    /// Fields of the input that no property has; they were ignored. Includes the names in a CSV
    /// file's first line, and the members of the first thousand JSON objects.
    public internal(set) var ignoredFields: [String] = []
    /// All objects that the import changed, for
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``. Empty unless the result
    /// type is ``BatchResultType/objectIDs``.
    public internal(set) var changes = RemoteChanges()
}

/// The progress of an import.
public struct ImportProgress: Sendable, Hashable {
    /// The number of the source among the request's; the first has number 0.
    public let source: Int
    /// The number of rows that were read from all sources, including rows with errors.
    public let rows: Int
    /// The number of bytes that were read from the source.
    public let bytes: Int
    /// The number of bytes of the source; nil if unknown.
    public let byteCount: Int?
}

/// A row, or a part of an input, that could not be imported.
public struct ImportError: Error, Sendable {
    /// The number of the source among the request's; the first has number 0.
    public let source: Int
    /// The name of the source's file, else that of its entity.
    public let sourceName: String
    /// The line at which the field begins, or else the row; the first has number 1. Nil if the
    /// error concerns the complete input.
    public let line: Int?
    /// The position in the line at which the field begins, in bytes from 1; nil if unknown.
    public let column: Int?
    /// The field, by its name in the file; nil if the error concerns the complete row.
    public let field: String?
    /// The problem and how to fix it. The message names the field and the limit, never the value.
    public let message: String
    /// The underlying error: a ``ValidationError`` if the model or the store rejected the row.
    public let underlying: (any Error)?
}

extension ImportError: CustomStringConvertible {
    /// The place as tools print it, and the message: `products.csv:12:5: price is …`
    public var description: String {
        let place = [line, column].compactMap { $0.map { ":\($0)" } }.joined()
        return "\(sourceName)\(place): \(message)"
    }
}

extension ImportError: LocalizedError {
    /// The place and the problem.
    public var errorDescription: String? { description }
    /// The reason that the underlying error gives.
    public var failureReason: String? {
        (underlying as? any LocalizedError)?.failureReason
            ?? "The input is not what the model or the format requires."
    }
    /// The suggested fix.
    public var recoverySuggestion: String? {
        underlying?.suggestion ?? "Correct the input at that place, and import it again."
    }
}

extension ImportError: CoreDataCompatibleError {
    /// The code that Core Data uses for the problem; 1550 for input that cannot be read.
    public var coreDataCode: Int {
        (underlying as? any CoreDataCompatibleError)?.coreDataCode ?? 1550
    }
}
