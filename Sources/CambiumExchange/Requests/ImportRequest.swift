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
///
/// ### What to read
///
/// - ``sources``
/// - ``ImportSource``
/// - ``ImportInput``
/// - ``ExchangeFormat``
/// - ``ExchangeEntityField``
///
/// ### What to do
///
/// - ``mergePolicy``
/// - ``onError``
/// - ``maximumErrors``
/// - ``missingTargets``
///
/// ### What comes out
///
/// - ``ImportResult``
/// - ``ImportError``
/// - ``progress``
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

/// An input of an import: where it comes from, which entity its rows are of, and what its fields
/// are called.
///
/// | a property | in JSON | in CSV |
/// |---|---|---|
/// | attribute | a member of its name | a column of its name |
/// | part of a composite value | a nested object | a column `address.street` |
/// | to-one relationship | the key, or an object of the key's properties | the key; `category.name` |
/// | to-many relationship | an array of keys | a list of keys |
///
/// Whole numbers, decimals and floating-point numbers are numbers (decimals may be texts, which
/// keep more digits), dates ISO 8601, data Base64, enumerations their raw values, and codable
/// values JSON.
///
/// A field that is left out keeps the model's default in a new object, and its value in one that is
/// updated. A JSON `null` is nil. An empty CSV field is nil for an optional attribute, where
/// quotes (`""`) mean an empty text; for a required one it counts as left out.
public struct ImportSource: Sendable {
    /// The name of the entity. Rows are of this very entity, unless ``entityField`` says which
    /// sub-entity a row is of.
    public let entityName: String
    /// Where the bytes come from.
    public let input: ImportInput
    /// What they mean.
    public let format: ExchangeFormat
    /// What the file calls properties, where that is not their names: the file's name by the
    /// property's. `["sku": "Article number", "address": "addr"]`; what is within a composite value
    /// or belongs to a key follows (`addr.street`), unless it is named itself (`address.street`).
    public var fieldNames: [String: String] = [:]
    /// The names of the columns, for a CSV file whose first line is a row already. Nil: the first
    /// line has them.
    public var columns: [String]?
    /// The field that says which entity each row is of: the source's own, or a sub-entity. Default:
    /// nil, all rows are of the source's entity.
    ///
    /// ```swift
    /// var source = ImportSource(Party.self, from: .file("parties.csv"), as: .csv())
    /// source.entityField = "type"
    /// ```
    ///
    /// The source's entity may be abstract. A row has the fields of its own entity; other fields of
    /// it are ignored. A row without a word, or whose word means no entity that has objects, is an
    /// error of the row. So is a row that would update an object of another entity: the entity of
    /// an object never changes.
    public var entityField: ExchangeEntityField?
    /// By which unique constraints relationships name their destinations, if these have several:
    /// the properties of the constraint, by the relationship's name. Default: the first constraint
    /// that has attributes only, or else the first one that has a relationship.
    ///
    /// A relationship in a constraint is named by a constraint of its own destination.
    public var relationshipKeys: [String: [String]] = [:]
    /// How dates are written. Default: ISO 8601.
    public var dateFormat = ExchangeDateFormat.iso8601

    /// Rows of the entity of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - input: Where the bytes come from.
    ///   - format: What they mean.
    public init<Entity: ManagedObject>(
        _ type: Entity.Type, from input: ImportInput, as format: ExchangeFormat
    ) {
        self.init(entityName: Entity.entityName, from: input, as: format)
    }

    /// Rows of an entity by its name, for classes that serve several.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - input: Where the bytes come from.
    ///   - format: What they mean.
    public init(entityName: String, from input: ImportInput, as format: ExchangeFormat) {
        self.entityName = entityName
        self.input = input
        self.format = format
    }
}

/// Where an import's bytes come from.
public struct ImportInput: Sendable {
    /// A block is some thousand rows: what one statement writes.
    static let blockSize = 1 << 20

    enum Content: Sendable {
        case file(String)
        case data(Data)
        case temporary(SystemFile)
    }

    let content: Content
    /// What errors call it; nil for one that has no name of its own.
    let name: String?

    private init(_ content: Content, name: String? = nil) {
        self.content = content
        self.name = name
    }

    /// A file, which is read in blocks when the import runs: within its transaction, so that nobody
    /// else can save meanwhile. What keeps its reader waiting, as a named pipe or a slow network's
    /// files, is better collected first; see ``init(collecting:isolation:)``.
    public static func file(_ path: String) -> ImportInput {
        ImportInput(.file(path), name: path)
    }

    /// The file that a URL names; see ``file(_:)-(String)``. Of a URL that names no file, such as one
    /// of the web, collect the bytes first.
    public static func file(_ url: URL) -> ImportInput { .file(url.pathOfFile) }

    /// Bytes in memory.
    public static func data(_ data: Data) -> ImportInput {
        ImportInput(.data(data))
    }

    /// A text in memory.
    public static func text(_ text: String) -> ImportInput {
        ImportInput(.data(Data(text.utf8)))
    }

    /// What an `AsyncSequence` of blocks of bytes delivers, such as a download. It is collected in
    /// a temporary file first, so that the store is free for others meanwhile; the file goes with
    /// the input.
    ///
    /// - Throws: What the sequence throws; ``StoreError`` where there is no room for the file;
    ///   `CancellationError` where the task is cancelled.
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

    /// What an `AsyncSequence` of bytes delivers; see ``init(collecting:isolation:)``.
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

/// What an import has done.
public struct ImportResult: Sendable {
    /// How many objects are new.
    public internal(set) var inserted = 0
    /// How many rows met an object with their unique values, which got what they set. Of rows that
    /// met the same one, each counts.
    public internal(set) var updated = 0
    /// How many rows met an object with their unique values and were left out, as the policy says.
    public internal(set) var skipped = 0
    /// How many errors there were. A row may have several.
    public internal(set) var errorCount = 0
    /// The first errors, up to ``ImportRequest/maximumErrors``.
    public internal(set) var errors: [ImportError] = []
    /// Fields of the input that no property has, which were passed over: those of a CSV file's
    /// first line, and those of the first thousand JSON objects.
    public internal(set) var ignoredFields: [String] = []
    /// All objects that the import changed: what
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)`` takes. Empty unless the
    /// request asks for ``BatchResultType/objectIDs``.
    public internal(set) var changes = RemoteChanges()
}

/// How far an import has come.
public struct ImportProgress: Sendable, Hashable {
    /// The number of the source among the request's; the first has number 0.
    public let source: Int
    /// How many rows of all sources were read, those with errors too.
    public let rows: Int
    /// How many bytes of the source were read.
    public let bytes: Int
    /// How many bytes the source has; nil where that is not known.
    public let byteCount: Int?
}

/// A row, or a part of an input, that could not be imported.
public struct ImportError: Error, Sendable {
    /// The number of the source among the request's; the first has number 0.
    public let source: Int
    /// The name of the source's file, else that of its entity.
    public let sourceName: String
    /// The line where the field, or else the row, begins; the first has number 1. Nil where the
    /// input as a whole is meant.
    public let line: Int?
    /// Where in the line the field begins, in bytes from 1; nil where that is not known.
    public let column: Int?
    /// The field, in the file's words; nil where the row as a whole is meant.
    public let field: String?
    /// What is wrong, and what helps. It names the field and the limit, never the value.
    public let message: String
    /// The error behind it: a ``ValidationError`` where the model or the store refused the row.
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
    /// The place, and what is wrong there.
    public var errorDescription: String? { description }
    /// What the error behind it says of the reason.
    public var failureReason: String? {
        (underlying as? any LocalizedError)?.failureReason
            ?? "The input is not what the model or the format requires."
    }
    /// What to do about it.
    public var recoverySuggestion: String? {
        underlying?.suggestion ?? "Correct the input at that place, and import it again."
    }
}

extension ImportError: CoreDataCompatibleError {
    /// The code that Core Data uses for what is wrong; 1550 for input that cannot be read.
    public var coreDataCode: Int {
        (underlying as? any CoreDataCompatibleError)?.coreDataCode ?? 1550
    }
}
