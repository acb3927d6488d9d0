/// What keeps the rows of a ``CustomEngine``.
protocol NodeBackend: Sendable {
    /// The identity of the store.
    var identifier: UUID { get }

    /// At least the rows that are asked for.
    func nodes(for request: StoreFetchRequest) throws -> [StoreNode]

    /// Writes changes, all or none.
    func save(_ request: StoreSaveRequest) throws

    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64>

    /// The first key of a root entity that was never given.
    ///
    /// - Parameter mayReserve: Whether it may be used up, where there is no other way to learn it.
    /// - Returns: nil where there is no other way and it may not.
    func nextKey(ofEntity root: String, mayReserve: Bool) throws -> Int64?

    /// What the program noted, as it was last saved.
    var notes: [String: String] { get }

    /// Whether unique constraints are looked after here, because nobody else does.
    var needsUniquenessChecks: Bool { get }
}
