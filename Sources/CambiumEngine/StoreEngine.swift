import CambiumModel
import CambiumRecords

/// Where a context reads rows from: a store, or its parent.
package protocol ReadableStore: AnyObject {
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
        FetchPlan(sql: nil, steps: ["in memory: \(request.entity.name), object by object"])
    }
}

/// One that may be read from any thread.
package protocol SharedStore: ReadableStore, Sendable {}

/// What keeps the rows of a store: SQLite in a file or in memory, or a store of the program's own.
/// Requests in, rows and outcomes out, no SQL.
package protocol StoreEngine: SharedStore, StoreCapabilities {
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

    /// A save that changes nothing: writes what else waits for one.
    func saveWithoutChanges() throws

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

/// An error of the library that an engine is built on.
package protocol EngineError: Error {
    /// What kind of failure it is where a store is opened.
    var openingFailure: StoreError.Code { get }

    /// What the file, its folder or its disk have against opening a store; nil where the error is
    /// of something else.
    func troubleOpening(_ path: String) -> StoreError?
}
