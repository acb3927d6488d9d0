import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL

/// The source of a context's rows: a store, or its parent.
package protocol ReadableStore: AnyObject {
    /// Finds rows and hands them to the receiver, in the request's order. The receiver must not use
    /// the store.
    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws

    /// Finds rows as ``fetch(_:_:)`` does, and also the far ends that the request prefetches: all
    /// as they are at one moment, if the store can do this.
    ///
    /// - Returns: A reader of the prefetched far ends; nil if they have to be requested.
    func fetchAhead(
        _ request: RowRequest, _ receive: (StoreRow) throws -> Void
    ) throws -> (any SharedStore)?

    /// Reads the row of a key, or returns nil. Faults call it so often that its own cost matters.
    ///
    /// - Parameter commit: The last commit of the coordinator. It must be visible; later commits of
    ///   other processes need not be. Nil for the row as it is now.
    func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?, into writer: RecordWriter
    ) throws -> ReadRow?

    /// Counts the rows that a request finds without its limit and offset.
    func count(_ request: RowRequest) throws -> Int

    /// Computes results from the rows that a request finds, in the query's order; the request's
    /// limit and offset count results.
    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]]

    /// Finds the far ends of a relationship of many owners, each list in its order.
    ///
    /// - Returns: Nil if it is better to request them one by one.
    func members(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) throws -> [Int64: [LinkSet.Member]]?

    /// The greatest key of the rows of a hierarchy: there are not more rows. Nil if it cannot be
    /// found quickly.
    func greatestKey(ofRoot root: EntityDescription) throws -> Int64?

    /// Returns the plan of a request.
    ///
    /// - Parameter query: The computation from the rows, if these are not requested themselves.
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

/// A store that may be read from any thread.
package protocol SharedStore: ReadableStore, Sendable {
    /// Returns the content of a large value's file, as named in a row that was read here.
    func externalData(named name: String) throws -> Data

    /// The next keys of the rows of a hierarchy, in their order.
    ///
    /// - Parameters:
    ///   - key: The last key that is known; nil for the first ones.
    ///   - limit: The maximum number of keys.
    func keys(ofRoot root: EntityDescription, after key: Int64?, atMost limit: Int) throws
        -> [Int64]

    /// Checks the parts of the store that are not visible in its rows: pairs, places in lists,
    /// derived values, and the engine's own checks.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of findings of each query.
    ///   - receive: Takes findings of one kind, and their number. It must not use the store.
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

/// Keeps the rows of a store: SQLite in a file or in memory, or a custom store. Its interface
/// consists of requests, rows and outcomes, without SQL.
package protocol StoreEngine: SavingStore, StoreCapabilities {
    /// The identity of the store: the UUID in its metadata.
    var identifier: StoreIdentifier { get }
    /// Whether saves are rejected.
    var isReadOnly: Bool { get }

    /// A save without changes: writes metadata that waits for a save.
    func saveWithoutChanges() throws

    /// The program's entries in the metadata, including entries that wait for a save.
    func notes() throws -> [String: String]

    /// Replaces the program's entries in the metadata; the next save writes them.
    func setNotes(_ notes: [String: String])

    /// Whether the calling thread is already reading or writing. If so, the store has called the
    /// program, and the program calls the store again.
    var isInUseByCaller: Bool { get }

    /// Closes the files. Any later use of the store is an error. If the caller itself is using a
    /// connection, it is closed afterwards.
    func close()

    /// Waits, after ``close()``, until the store is not used any more.
    ///
    /// - Returns: Whether this happened within the limit.
    func drain(for limit: Duration) -> Bool
}

extension StoreEngine {
    /// Returns true: ``close()`` has waited.
    package func drain(for limit: Duration) -> Bool { true }
}

/// An error of the library that an engine is built on.
package protocol EngineError: Error {
    /// The kind of failure when a store is opened.
    var openingFailure: StoreError.Code { get }

    /// The problem with the file, its folder or its disk when a store is opened; nil if the error
    /// has another reason.
    func openingProblem(_ path: String) -> StoreError?
}

/// The capabilities that only some engines have. The defaults mean that an engine does not have
/// them: they return nil or nothing, or throw an error.
package protocol StoreCapabilities {
    // MARK: Values

    /// The format of dates; nil if each is kept exactly.
    var datePrecision: StoredDatePrecision? { get }
    /// The greatest number of bytes of a string or of data; nil if the engine checks it itself.
    var largestValue: Int? { get }

    // MARK: Writing without saves

    /// Runs a batch operation in one transaction. If the task is cancelled before the commit, the
    /// transaction is rolled back.
    ///
    /// - Parameters:
    ///   - author: The author in the history.
    ///   - attachesRows: Whether observers receive the changed rows.
    ///   - committed: Called after the commit, before anything else can be written.
    func run(
        _ work: some BatchWork, by author: TransactionAuthor, attachesRows: Bool,
        committed: (_ changes: BatchChanges) -> Void
    ) throws

    /// Runs a body in a transaction. Changes that the body has not committed are rolled back.
    ///
    /// - Throws: The error of the body; ``StoreError`` if the store does not support transactions
    ///   of the program.
    func withTransaction<Result>(
        _ isolation: TransactionIsolation, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result

    /// Returns the outcome of a save with a commit without an answer.
    ///
    /// - Throws: ``StoreError`` if the outcome of every save is always known.
    func outcome(of commit: CommitID) throws -> CommitOutcome

    /// Returns the same store for contexts with transactions that begin with some settings. It is
    /// open as long as this one.
    ///
    /// - Throws: ``StoreError`` if the store does not support settings, or a name is not allowed.
    func view(with settings: TransactionSettings) throws -> any StoreEngine

    // MARK: Reading earlier states

    /// Whether ``pin()`` works.
    var keepsGenerations: Bool { get }

    /// Returns the store in its current state. The result does not change while it is used, even if
    /// other contexts or programs save.
    func pin() throws -> any SharedStore

    // MARK: Other writers

    /// Makes the previous commits of other writers visible to all later reads.
    func seeOthersCommits()

    /// Notifies a receiver of the writes of other processes from now on. If no other process can
    /// write the store, it does nothing.
    ///
    /// - Throws: ``StoreError`` if the store cannot follow other processes.
    func followOthers(for receiver: any CommitReceiver) throws

    /// A mark that changes with every commit of any program, or nil if it is not known (yet). With
    /// it, data derived from the rows can be kept between runs of the program.
    func commitMark() -> String?

    // MARK: History

    /// Returns the transactions that match a request; nil if the store has no history.
    ///
    /// - Parameter token: The position at which to begin; afterwards the position after the last
    ///   transaction.
    /// - Throws: ``StoreError`` with `historyExpired` if a part of the history after the token is
    ///   unknown, with `noHistory` if the history of the token does not exist any more.
    func fetchHistory(
        _ request: HistoryRequest, after token: inout HistoryToken
    ) throws -> [HistoryTransaction]?

    /// The end of the history; nil if the store has none.
    func historyPosition() throws -> HistoryToken.Position?

    /// Deletes the transactions before the one that ends at a position.
    ///
    /// - Returns: Whether the store has a history.
    /// - Throws: ``StoreError`` with `historyExpired` if the position is not in its history.
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
    /// - Returns: Nil if the store has no tables that another one could have: its rows are read as
    ///   nodes.
    func withTables<Result>(_ body: (any MovedTables) throws -> Result) throws -> Result?

    /// Returns the first key of a root entity that was never assigned. The result is nil if it is
    /// unknown, and finding it would write to a store that must not be written.
    func nextKey(ofRoot root: Int) throws -> Int64?

    /// Inserts the rows of another store in one save: all or none.
    ///
    /// - Throws: ``StoreError`` if it already has rows of these hierarchies.
    func insertRows(of rows: MovedRows) throws

    /// Writes a copy of the store to a new file, while it is in use.
    ///
    /// - Returns: False if this kind of store cannot be copied as a file.
    func backUp(to path: String) throws -> Bool

    /// Creates and opens a store of the same kind as a copy of this one. It is faster and more
    /// complete than moving rows one by one.
    ///
    /// - Parameter opener: The opener of the new store.
    /// - Returns: Nil if the new store is of another kind.
    func opened(byCopyingTo opener: any StoreOpening) throws -> (any StoreEngine)?

    // MARK: Tables

    /// The changes of other programs to the store's tables and indexes, and external objects,
    /// sorted by name.
    func differences() throws -> [StoreDifference]

    // MARK: Checking

    /// Returns the content of the store and its size; nil if the engine cannot tell.
    func statistics() throws -> StoreStatistics?

    /// The names of the large values outside of the rows, except the ones that a save may be about
    /// to write or to remove. Nil if ``SharedStore/findFaults(atMost:_:)`` compares them with the
    /// rows, or if there are none.
    func settledExternalNames() throws -> Set<String>?

    /// Repairs faults that need no decision about data: computes derived values, increases the
    /// counters of keys, and removes large values that no row references.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of faults to repair.
    ///   - externalNames: The large values that apparently no row references.
    /// - Returns: The repairs, sorted by kind and name.
    func repair(
        _ kinds: Set<StoreFinding.Kind>, externalNames: Set<String>
    ) throws -> [StoreRepair]
}

extension StoreCapabilities {
    package var datePrecision: StoredDatePrecision? { nil }
    package var largestValue: Int? { nil }

    package func run(
        _ work: some BatchWork, by author: TransactionAuthor, attachesRows: Bool,
        committed: (BatchChanges) -> Void
    ) throws {
        throw StoreError(
            code: .invalidRequest,
            message: "A custom store has no batch operations.",
            remedy: "Change objects in a context, and save it.")
    }

    package func withTransaction<Result>(
        _ isolation: TransactionIsolation, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result {
        throw StoreError(
            code: .invalidRequest,
            message: "A custom store has no transactions that last longer than a save.",
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
    package func insertRows(of rows: MovedRows) throws { throw StoreError.closed }
    package func backUp(to path: String) -> Bool { false }
    package func opened(byCopyingTo opener: any StoreOpening) throws -> (any StoreEngine)? { nil }

    package func differences() -> [StoreDifference] { [] }

    package func statistics() -> StoreStatistics? { nil }
    package func settledExternalNames() -> Set<String>? { nil }
    package func repair(
        _ kinds: Set<StoreFinding.Kind>, externalNames: Set<String>
    ) throws -> [StoreRepair] { [] }
}

/// A receiver of commits to a store by other writers than the coordinator's own contexts.
package protocol CommitReceiver: AnyObject, Sendable {
    /// Receives the rows of a commit, in the order of the commits: no other commit can interfere.
    ///
    /// - Parameter changes: Nil if the changes are unknown, or too many to be listed.
    func receive(_ changes: [EntityChanges]?, from store: StoreIdentifier)

    /// Notifies observers of the commit, afterwards.
    ///
    /// - Parameter token: The end of the store's history; nil if it keeps none.
    func announce(_ store: StoreIdentifier, at token: HistoryToken?, isComplete: Bool)
}

/// Creates and opens stores of one kind.
package protocol StoreOpening {
    /// Opens the store. If there is none, it is created.
    func open() throws -> (store: any StoreEngine, migration: MigrationOutcome)

    /// Creates and opens a store with the rows of one of another kind: all of them or none.
    ///
    /// - Returns: The store, and a report if the rows were compared table by table.
    func open(filledWith rows: MovedRows) throws -> (store: any StoreEngine, report: MoveReport?)

    /// Removes a new store, with its files, if it could not be filled.
    func removeNewStore()
}

/// Stores on servers of one kind, for commands that receive URLs.
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

    /// Returns an opener for the store at a place. The store must have the model's version.
    package let opener: @Sendable (Place, ModelDescription, StoreOptions) -> any StoreOpening
    /// Returns the metadata of the store at a place; nil if there is no store.
    package let metadata: @Sendable (Place) throws -> StoreMetadata?
    /// Returns the operations that migrate the store at a place; nil if that is not supported.
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
