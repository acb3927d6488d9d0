import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Where a context reads rows from: a store, or its parent.
protocol ReadableStore: AnyObject {
    /// Finds rows and hands them to the receiver, in the request's order. The receiver must not use
    /// the store.
    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws

    /// Reads the row of a key, where there is one: what a fault asks for, so often that the way
    /// there counts.
    ///
    /// - Parameter commit: The last commit of the coordinator, which must be seen, where others of
    ///   other processes need not be; nil for the row as it is now.
    func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?, into writer: RecordWriter
    ) throws -> ReadRow?

    /// Counts the rows that a request finds, whatever its limit and offset.
    func count(_ request: RowRequest) throws -> Int

    /// Computes results from the rows that a request finds, in the query's order; the request's
    /// limit and offset count results.
    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]]

    /// Finds the far ends of a relationship of many owners, each list in its order.
    ///
    /// - Parameter selection: What selects those of any one owner.
    /// - Returns: nil where they are better asked for one by one.
    func members(
        of owners: [Int64], _ relationship: RelationshipDescription,
        _ selection: RowRequest.Selection
    ) throws -> [Int64: [LinkSet.Member]]?

    /// The greatest key of the rows of a hierarchy: so many there are at most. Nil where that is
    /// not known in no time.
    func greatestKey(ofRoot root: EntityDescription) throws -> Int64?

    /// How a request would be answered.
    ///
    /// - Parameter query: What is computed from the rows, where they are not wanted themselves.
    func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan
}

extension ReadableStore {
    func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?, into writer: RecordWriter
    ) throws -> ReadRow? {
        var read: ReadRow?
        try fetch(RowRequest(entity: root, selection: .key(key))) { row in
            read = ReadRow(entity: row.entity, placed: try row.record(in: writer))
        }
        return read
    }

    func members(
        of owners: [Int64], _ relationship: RelationshipDescription,
        _ selection: RowRequest.Selection
    ) throws -> [Int64: [LinkSet.Member]]? { nil }

    func greatestKey(ofRoot root: EntityDescription) throws -> Int64? { nil }

    func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan {
        FetchPlan(sql: nil, steps: ["in memory: \(request.entity.name), object by object"])
    }
}

/// Where rows are kept. The seam for other engines: requests in, rows and outcomes out, no SQL.
protocol Store: ReadableStore, Sendable {
    /// What tells this store apart: the UUID in its metadata.
    var identifier: StoreIdentifier { get }
    /// Whether saves are refused.
    var isReadOnly: Bool { get }

    /// Writes everything in one transaction.
    ///
    /// - Parameters:
    ///   - arbiter: Asked inside the transaction about what others did meanwhile, before anything
    ///     is written; answers what to write instead, or throws.
    ///   - willCommit: Called when everything is written and not committed yet; where it throws,
    ///     nothing is kept.
    ///   - committed: Called after the commit, before another save can begin.
    func save(
        _ request: SaveRequest,
        arbiter: any ConflictArbiter,
        willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws

    /// Runs a batch operation in one transaction. Stores that are not SQLite's refuse to.
    ///
    /// - Parameters:
    ///   - author: Who does it, as the history names it.
    ///   - attachesRows: Whether those who are told of it want the changed rows.
    ///   - committed: Called after the commit, before anything else can be written.
    func run(
        _ work: some BatchWork, by author: TransactionAuthor, attachesRows: Bool,
        committed: (_ changes: BatchChanges) -> Void
    ) throws

    /// A save that changes nothing: writes what else waits for one.
    func saveWithoutChanges() throws

    /// Makes what others have committed until now show in whatever is read from now on.
    func seeOthersCommits()

    /// The content of the file of a large value.
    func externalData(named name: String) throws -> Data

    /// Reserves keys of a root entity; they are never given again.
    func reserveKeys(root: Int, count: Int) throws -> Range<Int64>

    /// What the program noted in the metadata; what waits for a save counts.
    func notes() throws -> [String: String]

    /// Replaces what the program noted; the next save writes it.
    func setNotes(_ notes: [String: String])

    /// Whether the thread that asks is reading or writing: the store has called the program, which
    /// asks.
    var isInUseByCaller: Bool { get }

    /// Lets go of files. Whatever is asked of the store afterwards is an error. A connection that
    /// the caller itself is using closes when it has done.
    func close()
}

extension Store {
    func seeOthersCommits() {}
}

/// Which rows are wanted.
struct RowRequest {
    /// The near end of a relationship.
    struct Origin {
        /// The entity of the object.
        let entity: EntityDescription
        let key: Int64
        let relationship: RelationshipDescription
    }

    /// What selects the rows.
    enum Selection {
        /// Those that meet a condition; all without one.
        case matching(ModelExpression?, [String: Value])
        /// The one with the key.
        case key(Int64)
        /// Those with the keys.
        case keys([Int64])
        /// Those whose key column leads to the key: the far end of a to-many.
        /// Where the column of places is given, they come in that order.
        case referring(column: String, to: Int64, position: String? = nil)
        /// Those linked to the key by a join table.
        case linked(
            table: String, sourceColumn: String, destinationColumn: String, from: Int64,
            position: String? = nil)
    }

    let entity: EntityDescription
    let selection: Selection
    /// Whose relationship is read, where the rows at the far end of one are wanted.
    var origin: Origin?
    var includesSubentities = true
    /// The order; rows that are equal in it come in the order of their keys.
    var sort: [SortTerm] = []
    /// Whether the order does not matter, not even that of the keys.
    var isUnordered = false
    /// Whether the keys, versions and entities of the rows will do.
    var readsKeysOnly = false
    /// What can end the request before its time, from another thread.
    var interruption: Interruption?
    var limit: Int?
    var offset = 0

    /// The request for a reader that sorts by keys itself where nothing else is wanted: the order
    /// of the keys is that of the table, and a store that is left free delivers faster.
    var leavingOrderFree: RowRequest {
        var request = self
        request.isUnordered = sort.isEmpty && limit == nil && offset == 0
        return request
    }

    /// The keys that the rows have and that are all that is asked of them, in any order, some perhaps
    /// twice; nil where the request asks for something else, or for so few that it makes no
    /// difference.
    var keysAlone: [Int64]? {
        guard isUnordered, !readsKeysOnly, includesSubentities,
            case .matching(.comparison(let subject, .in, .list(let items), _)?, _) = selection,
            subject == .keyPath(root: .subject, names: []), items.count >= 64
        else { return nil }
        var keys: [Int64] = []
        keys.reserveCapacity(items.count)
        for item in items {
            guard case .literal(.int(let key)) = item else { return nil }
            keys.append(key)
        }
        return keys
    }
}

/// The row that a fetch stands at, valid during the call that hands it over: the next row comes in
/// the same object. (A value would count the references in it up and down, for each row.)
///
/// This one has no values to be read, as those of fetches have which ask for keys only.
class StoreRow {
    // Safety: written by a fetch between the calls in which they are read.
    @exclusivity(unchecked) final var key: Int64
    @exclusivity(unchecked) final var version: Int64
    /// The number of the row's own entity.
    @exclusivity(unchecked) final var entity: Int

    init(key: Int64 = 0, version: Int64 = 0, entity: Int = 0) {
        self.key = key
        self.version = version
        self.entity = entity
    }

    /// Reads the row's values into a record.
    func record(in writer: RecordWriter) throws -> PlacedRecord {
        throw StoreError(
            code: .missingRow, message: "The values of row \(key) were not read.",
            remedy: "Fetch the object again.")
    }
}

/// A row with its values.
struct ReadRow {
    /// The number of the row's own entity.
    let entity: Int
    let placed: PlacedRecord
}

/// What a save writes.
struct SaveRequest {
    /// New rows, by entity.
    struct Insertion {
        let entity: EntityDescription
        var records: [Record]
        /// For each record the defaults that were made for it; empty where the entity has none that
        /// a merge of unique values looks at.
        var defaults: [[Int: StoredValue]] = []
    }

    /// Changed rows whose changes are in the same slots, by entity.
    struct Update {
        let entity: EntityDescription
        let slots: SlotSet
        /// The new values, with the version that the change is based on.
        var records: [Record]
        /// The rows that the changes are based on, as the context has read them; empty where the
        /// rows were read in the transaction that writes them.
        var bases: [Record] = []
    }

    /// Rows of which nothing is written, but a conflict counts, by entity.
    struct Check {
        let entity: EntityDescription
        var records: [Record] = []
        /// For each record what was set to the value that it has; nil for an object that only has to
        /// be unchanged.
        var changes: [Change?] = []

        struct Change {
            /// The row that the change is based on; nil where links alone were changed.
            let base: Record?
            /// The stored slots that were set.
            let slots: SlotSet

            static var linksAlone: Change { Change(base: nil, slots: SlotSet()) }
        }

        mutating func add(_ record: Record, _ change: Change?) {
            records.append(record)
            changes.append(change)
        }
    }

    /// Rows to be deleted, by entity: key and version.
    struct Deletion {
        let entity: EntityDescription
        var records: [Record]
    }

    /// Pairs of a join table.
    struct Links {
        /// The relationship, of the side that the pairs come first with.
        let relationship: RelationshipDescription
        let table: String
        let sourceColumn: String
        let destinationColumn: String
        /// The numbers of the root entities of both ends.
        let sourceRoot: Int
        let destinationRoot: Int
        var added: [(source: Int64, destination: Int64)] = []
        var removed: [(source: Int64, destination: Int64)] = []
    }

    /// What was done to the lists of an ordered relationship.
    struct Order {
        /// One list.
        struct List {
            var owner: Int64
            var order: LinkOrder
        }

        let relationship: RelationshipDescription
        let sql: OrderSQL
        /// The numbers of the root entities of the owners and of the members.
        let ownerRoot: Int
        let memberRoot: Int
        var lists: [List]
    }

    /// The members of an object's many-to-many relationship, as the context knows them.
    struct Members {
        /// The pairs of the relationship, without any.
        let pairs: Links
        /// Whether the object is the source of the pairs.
        let isSource: Bool
        let set: LinkSet
    }

    /// Who saves, as the history names it.
    var author = TransactionAuthor()
    var checks: [Check] = []
    var deletions: [Deletion] = []
    var updates: [Update] = []
    var insertions: [Insertion] = []
    var links: [Links] = []
    var orders: [Order] = []
    /// The members of changed objects, which a conflict may have written as a whole; empty under
    /// merge policies that write changes of links only.
    var members: [RowID: [Members]] = [:]
    /// Keeps the records of this request alive.
    var pages: [RowPage] = []
}
