/// The store of objects that belong to none: it has no rows and takes none.
final class DetachedStore: Store {
    static let shared = DetachedStore()

    let identifier: UInt64 = 0
    let isReadOnly = true

    private let error = StoreError(code: .noStore, message: "A snapshot has no store.")

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws { throw error }

    func count(_ request: RowRequest) throws -> Int { throw error }

    func save(
        _ request: SaveRequest,
        resolver: any SaveConflictResolver,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws { throw error }

    func externalData(named name: String) throws -> Data { throw error }

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> { throw error }
}
