import CambiumRecords

/// Takes the place of a store that is missing: every read and write throws an error.
final class MissingStore: StoreEngine {
    let identifier: StoreIdentifier
    let isReadOnly: Bool

    private let error: any Error

    /// - Parameters:
    ///   - identifier: The identity of a removed store, which its objects keep.
    ///   - message: The reason why there is no store, for the reader of the error.
    ///   - remedy: The suggested fix.
    init(_ identifier: StoreIdentifier = .none, message: String, remedy: String) {
        self.identifier = identifier
        isReadOnly = true
        error = StoreError(code: .noStore, message: message, remedy: remedy)
    }

    /// Takes the place of a store that cannot be read.
    init(_ identifier: StoreIdentifier, _ error: any Error, isReadOnly: Bool = true) {
        self.identifier = identifier
        self.isReadOnly = isReadOnly
        self.error = error
    }

    /// The store of objects that belong to no context.
    static let detached = MissingStore(
        message: "A snapshot has no store.", remedy: "Fetch the object in a context.")

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws { throw error }

    func count(_ request: RowRequest) throws -> Int { throw error }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] { throw error }

    func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan { throw error }

    func save(
        _ request: SaveRequest,
        arbiter: any ConflictArbiter,
        willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws { throw error }

    func saveWithoutChanges() throws { throw error }

    func run(
        _ work: some BatchWork, by author: TransactionAuthor, attachesRows: Bool,
        committed: (BatchChanges) -> Void
    ) throws { throw error }

    func withTransaction<Result>(
        _ isolation: TransactionIsolation, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result { throw error }

    func view(with settings: TransactionSettings) throws -> any StoreEngine { throw error }

    var keepsGenerations: Bool { true }

    func pin() throws -> any SharedStore { throw error }

    func fetchHistory(
        _ request: HistoryRequest, after token: inout HistoryToken
    ) throws -> [HistoryTransaction]? { throw error }

    func historyPosition() throws -> HistoryToken.Position? { throw error }

    func deleteHistory(before position: HistoryToken.Position) throws -> Bool { throw error }

    func deleteHistory(before date: Date) throws -> Bool { throw error }

    func externalData(named name: String) throws -> Data { throw error }

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> { throw error }

    func notes() throws -> [String: String] { throw error }

    func setNotes(_ notes: [String: String]) {}

    var isInUseByCaller: Bool { false }

    func close() {}
}
