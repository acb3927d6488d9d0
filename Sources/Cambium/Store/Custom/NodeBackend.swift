/// What keeps the rows of a ``CustomStore``.
protocol NodeBackend: Sendable {
    /// At least the rows that are asked for.
    func nodes(for request: StoreFetchRequest) throws -> [StoreNode]

    /// Writes changes, all or none.
    func save(_ request: StoreSaveRequest) throws

    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64>

    /// What the program noted, as it was last saved.
    var notes: [String: String] { get }

    /// Whether unique constraints are looked after here, because nobody else does.
    var needsUniquenessChecks: Bool { get }
}
