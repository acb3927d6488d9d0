import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL

/// Where a context reads rows from: a store, or its parent.
package protocol ReadableStore: AnyObject {
    /// Finds rows and hands them to the receiver, in the request's order. The receiver must not use
    /// the store.
    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws

    /// Finds rows as ``fetch(_:_:)`` does, and with them what the request prefetches: all as it is at
    /// one moment, where the store can.
    ///
    /// - Returns: What answers with the far ends that were read; nil where they are to be asked for.
    func fetchAhead(
        _ request: RowRequest, _ receive: (StoreRow) throws -> Void
    ) throws -> (any SharedStore)?

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
    /// - Returns: nil where they are better asked for one by one.
    func members(
        of owners: [Int64], _ relationship: RelationshipDescription
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
    package func fetchAhead(
        _ request: RowRequest, _ receive: (StoreRow) throws -> Void
    ) throws -> (any SharedStore)? {
        var request = request
        request.prefetched = []
        try fetch(request, receive)
        return nil
    }

    package func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?, into writer: RecordWriter
    ) throws -> ReadRow? {
        var read: ReadRow?
        try fetch(RowRequest(entity: root, selection: .key(key))) { row in
            read = ReadRow(entity: row.entity, placed: try row.record(in: writer))
        }
        return read
    }

    package func members(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) throws -> [Int64: [LinkSet.Member]]? { nil }

    package func greatestKey(ofRoot root: EntityDescription) throws -> Int64? { nil }

    package func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan {
        FetchPlan(
            sql: nil, steps: ["in memory: \(request.entity.name), object by object"],
            scansTable: true)
    }
}

/// One that may be read from any thread.
package protocol SharedStore: ReadableStore, Sendable {
    /// The content of the file of a large value that a row names which was read here.
    func externalData(named name: String) throws -> Data

    /// The next keys of the rows of a hierarchy, in their order.
    ///
    /// - Parameters:
    ///   - key: The last key that is known; nil for the first ones.
    ///   - limit: How many are wanted at most.
    func keys(ofRoot root: EntityDescription, after key: Int64?, atMost limit: Int) throws
        -> [Int64]

    /// Looks for what is wrong with the store and does not show in its rows: pairs, places in lists,
    /// derived values, and whatever the engine itself can check.
    ///
    /// - Parameters:
    ///   - limit: How many findings are wanted of each query.
    ///   - receive: Takes findings of one kind, and how many there are of them. It must not use the
    ///     store.
    func findFaults(
        atMost limit: Int, _ receive: (_ findings: [StoreFinding], _ count: Int) throws -> Void
    ) throws
}

extension SharedStore {
    package func keys(
        ofRoot root: EntityDescription, after key: Int64?, atMost limit: Int
    ) throws -> [Int64] {
        var request = RowRequest(entity: root, selection: .matching(nil, [:]))
        request.readsKeysOnly = true
        var keys: [Int64] = []
        try fetch(request) { row in
            if row.key > key ?? .min || key == nil { keys.append(row.key) }
        }
        return Array(keys.sorted().prefix(limit))
    }

    package func findFaults(
        atMost limit: Int, _ receive: ([StoreFinding], Int) throws -> Void
    ) throws {}
}

/// What keeps the rows of a store: SQLite in a file or in memory, or a store of the program's own.
/// Requests in, rows and outcomes out, no SQL.
package protocol StoreEngine: SavingStore, StoreCapabilities {
    /// What tells this store apart: the UUID in its metadata.
    var identifier: StoreIdentifier { get }
    /// Whether saves are refused.
    var isReadOnly: Bool { get }

    /// A save that changes nothing: writes what else waits for one.
    func saveWithoutChanges() throws

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

    /// Waits, after ``close()``, until nobody uses the store any more.
    ///
    /// - Returns: Whether that was in time.
    func drain(for limit: Duration) -> Bool
}

extension StoreEngine {
    /// Nobody uses it: ``close()`` has waited.
    package func drain(for limit: Duration) -> Bool { true }
}

/// An error of the library that an engine is built on.
package protocol EngineError: Error {
    /// What kind of failure it is where a store is opened.
    var openingFailure: StoreError.Code { get }

    /// What the file, its folder or its disk have against opening a store; nil where the error is
    /// of something else.
    func troubleOpening(_ path: String) -> StoreError?
}

/// What some engines can do and others cannot. The defaults say that an engine cannot: they answer
/// nil, nothing or an error.
package protocol StoreCapabilities {
    // MARK: Values

    /// How dates are kept; nil where every one comes back to the bit.
    var keptDates: KeptDates? { get }
    /// The greatest number of bytes of a text or of data; nil where the engine says itself what it
    /// refuses.
    var largestValue: Int? { get }

    // MARK: Writing beside saves

    /// Runs a batch operation in one transaction, of which nothing is left where the task is
    /// cancelled before the commit.
    ///
    /// - Parameters:
    ///   - author: Who does it, as the history names it.
    ///   - attachesRows: Whether its observers want the changed rows.
    ///   - committed: Called after the commit, before anything else can be written.
    func run(
        _ work: some BatchWork, by author: TransactionAuthor, attachesRows: Bool,
        committed: (_ changes: BatchChanges) -> Void
    ) throws

    /// Runs a body in a transaction. What the body has not committed is taken back.
    ///
    /// - Throws: What the body throws; ``StoreError`` where the store has no transactions of a
    ///   program's own.
    func withTransaction<Result>(
        _ isolation: TransactionIsolation, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result

    /// What has become of a save whose commit nobody has answered.
    ///
    /// - Throws: ``StoreError`` where the store knows the outcome of every save.
    func outcome(of commit: CommitID) throws -> CommitOutcome

    /// The same store for those whose transactions all begin with some settings. It is open as long as
    /// this one.
    ///
    /// - Throws: ``StoreError`` where the store has no such settings, or a name cannot be one.
    func view(with settings: TransactionSettings) throws -> any StoreEngine

    // MARK: Reading earlier states

    /// Whether ``pin()`` works.
    var keepsGenerations: Bool { get }

    /// The store as it is now, whatever others save, for as long as the result is in use.
    func pin() throws -> any SharedStore

    // MARK: Other writers

    /// Makes what others have committed until now show in whatever is read from now on.
    func seeOthersCommits()

    /// Notifies a receiver of what other processes write from now on. A store that no other process
    /// can write does nothing.
    ///
    /// - Throws: ``StoreError`` if the store cannot follow other processes.
    func followOthers(for receiver: any CommitReceiver) throws

    /// What every commit of any writer changes, so that what was derived from the rows can be kept
    /// from one run of the program to the next; nil where it is unknown, or not known yet.
    func commitMark() -> String?

    // MARK: History

    /// The transactions that a request asks for; nil where the store has no history.
    ///
    /// - Parameter token: What has been seen; afterwards what has been looked at.
    /// - Throws: ``StoreError`` with `historyExpired` where it is unknown what came after the
    ///   token, with `noHistory` where the token is of a history that the store has no more.
    func fetchHistory(
        _ request: HistoryRequest, after token: inout HistoryToken
    ) throws -> [HistoryTransaction]?

    /// The end of the history; nil where the store has none.
    func historyPosition() throws -> HistoryToken.Position?

    /// Removes the transactions before the one that ends at a position.
    ///
    /// - Returns: Whether the store has a history.
    /// - Throws: ``StoreError`` with `historyExpired` where the position is in no such history.
    func deleteHistory(before position: HistoryToken.Position) throws -> Bool

    /// Removes the transactions before the first one of a date or later.
    ///
    /// - Returns: Whether the store has a history.
    func deleteHistory(before date: Date) throws -> Bool

    // MARK: Moving

    /// Hands over all rows of some hierarchies, as they are at one moment.
    ///
    /// - Parameters:
    ///   - roots: The numbers of the root entities.
    ///   - receive: Takes the next rows, all of one hierarchy, in the order of their keys. It must
    ///     not use the store.
    func readNodes(
        of roots: [Int], _ receive: (_ nodes: [StoreNode], _ root: Int) throws -> Void) throws

    /// Runs a body that reads all tables as they are at one moment.
    ///
    /// - Returns: Nil where the store has no tables that another one could have: what it has is read as
    ///   nodes.
    func withTables<Result>(_ body: (any MovedTables) throws -> Result) throws -> Result?

    /// The first key of a root entity that was never given; nil where that is unknown, because
    /// asking would use it up and the store is not to be written.
    func nextKey(ofRoot root: Int) throws -> Int64?

    /// Takes over the rows of another store in one save: all or none.
    ///
    /// - Throws: ``StoreError`` where it has rows of these hierarchies already.
    func takeOver(_ rows: MovedRows) throws

    /// Writes a copy of the store to a new file, while it is in use.
    ///
    /// - Returns: False if this kind of store cannot be copied as a file.
    func backUp(to path: String) throws -> Bool

    /// Makes and opens a store of the same kind with all that this one has, faster and with more
    /// than rows that are moved one by one could do it.
    ///
    /// - Parameter opener: What opens stores of the new store's kind.
    /// - Returns: Nil where the new store is of another kind.
    func opened(byCopyingTo opener: any StoreOpening) throws -> (any StoreEngine)?

    // MARK: Tables

    /// What another program has changed about the store's tables and indexes, or added beside them,
    /// sorted by name.
    func differences() throws -> [StoreDifference]

    // MARK: Checking

    /// The names of the large values that are kept beside the rows, but for those that a save may be
    /// about to write or to remove; nil where ``SharedStore/findFaults(atMost:_:)`` compares them with
    /// the rows, or there are none.
    func settledExternalNames() throws -> Set<String>?

    /// Mends faults that need no decision about data: computes derived values, raises the counters of
    /// keys, and removes large values that no row references.
    ///
    /// - Parameters:
    ///   - kinds: What is to be mended.
    ///   - externalNames: The large values that no row seemed to reference.
    /// - Returns: What was mended, sorted by kind and name.
    func mend(
        _ kinds: Set<StoreFinding.Kind>, externalNames: Set<String>
    ) throws -> [StoreMend]
}

extension StoreCapabilities {
    package var keptDates: KeptDates? { nil }
    package var largestValue: Int? { nil }

    package func run(
        _ work: some BatchWork, by author: TransactionAuthor, attachesRows: Bool,
        committed: (BatchChanges) -> Void
    ) throws {
        throw StoreError(
            code: .invalidRequest,
            message: "A store of a program's own has no batch operations.",
            remedy: "Change objects in a context, and save it.")
    }

    package func withTransaction<Result>(
        _ isolation: TransactionIsolation, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result {
        throw StoreError(
            code: .invalidRequest,
            message: "A store of a program's own has no transactions that last longer than a save.",
            remedy:
                "Use performBackgroundTask(_:), and detectConflicts(for:) for what is only read.")
    }

    package func outcome(of commit: CommitID) throws -> CommitOutcome {
        throw StoreError(
            code: .invalidRequest,
            message: "The store is on no server, so it knows the outcome of every save.",
            remedy: "Ask for the commit of an error whose code is commitOutcomeUnknown.")
    }

    package func view(with settings: TransactionSettings) throws -> any StoreEngine {
        throw StoreError.invalidRequest(
            "The store has no transaction settings: only a database server has them.",
            remedy: "Use a context without transactionSettings, or keep the store on a server.")
    }

    package var keepsGenerations: Bool { false }
    package func pin() throws -> any SharedStore { throw StoreError.closed }
    package func seeOthersCommits() {}
    package func followOthers(for receiver: any CommitReceiver) {}
    package func commitMark() -> String? { nil }

    package func fetchHistory(
        _ request: HistoryRequest, after token: inout HistoryToken
    ) -> [HistoryTransaction]? { nil }
    package func historyPosition() -> HistoryToken.Position? { nil }
    package func deleteHistory(before position: HistoryToken.Position) -> Bool { false }
    package func deleteHistory(before date: Date) -> Bool { false }

    package func readNodes(
        of roots: [Int], _ receive: (_ nodes: [StoreNode], _ root: Int) throws -> Void
    ) throws { throw StoreError.closed }
    package func withTables<Result>(
        _ body: (any MovedTables) throws -> Result
    ) throws -> Result? { nil }
    package func nextKey(ofRoot root: Int) throws -> Int64? { throw StoreError.closed }
    package func takeOver(_ rows: MovedRows) throws { throw StoreError.closed }
    package func backUp(to path: String) -> Bool { false }
    package func opened(byCopyingTo opener: any StoreOpening) throws -> (any StoreEngine)? { nil }

    package func differences() -> [StoreDifference] { [] }

    package func settledExternalNames() -> Set<String>? { nil }
    package func mend(
        _ kinds: Set<StoreFinding.Kind>, externalNames: Set<String>
    ) throws -> [StoreMend] { [] }
}

/// Who is notified of commits to a store by other writers than the coordinator's own contexts.
package protocol CommitReceiver: AnyObject, Sendable {
    /// Hands over the rows of a commit, in the order of the commits: no other can come in between.
    ///
    /// - Parameter changes: nil where the changes are unknown, or too many to be listed.
    func receive(_ changes: [EntityChanges]?, from store: StoreIdentifier)

    /// Tells observers of it, afterwards.
    ///
    /// - Parameter token: The end of the store's history; nil where it keeps none.
    func announce(_ store: StoreIdentifier, at token: HistoryToken?, isComplete: Bool)
}

/// What makes and opens stores of one kind.
package protocol StoreOpening {
    /// Opens the store, and makes it where there is none.
    func open() throws -> (store: any StoreEngine, migration: MigrationOutcome)

    /// Makes and opens a store with the rows of one of another kind: all of them or none.
    ///
    /// - Returns: The store, and what was moved where that was compared table by table.
    func open(filledWith rows: MovedRows) throws -> (store: any StoreEngine, report: MoveReport?)

    /// Removes a store that was made and filled in vain, with its files.
    func removeNewStore()
}

/// Stores on servers of one kind, for those who know them by URLs.
package struct ServerStores: Sendable {
    /// A schema of a database on a server.
    package struct Place: Sendable, Hashable {
        /// The server and the database, as its library takes them.
        package let url: String
        /// The name of the schema that has the store's tables.
        package let schema: String

        package init(url: String, schema: String) {
            self.url = url
            self.schema = schema
        }
    }

    /// What opens the store at a place, which has to have the model's version.
    package let opener: @Sendable (Place, ModelDescription, StoreOptions) -> any StoreOpening
    /// What the store at a place says of its model; nil where there is none.
    package let metadata: @Sendable (Place) throws -> StoreMetadata?
    /// What migrates the store at a place by hand; nil where nothing does.
    package let migrations: (@Sendable (Place) -> any ServerMigrations)?

    package init(
        migrations: (@Sendable (Place) -> any ServerMigrations)? = nil,
        opener: @escaping @Sendable (Place, ModelDescription, StoreOptions) -> any StoreOpening,
        metadata: @escaping @Sendable (Place) throws -> StoreMetadata?
    ) {
        self.migrations = migrations
        self.opener = opener
        self.metadata = metadata
    }
}
