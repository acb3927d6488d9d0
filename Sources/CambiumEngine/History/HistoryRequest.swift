import CambiumModel

/// A request for transactions of the history.
///
/// ```swift
/// let request = HistoryRequest(after: lastToken)
///     .excluding(author: "sync")
///     .of(Product.self)
/// let result = try context.fetchHistory(request)
/// for transaction in result.transactions { try upload(transaction) }
/// lastToken = result.token
/// ```
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(after:)-(HistoryToken?)``
/// - ``init(after:)-(Date?)``
/// - ``token``
/// - ``date``
///
/// ### Transactions
///
/// - ``by(author:)``
/// - ``authors``
/// - ``excluding(author:)``
/// - ``excludedAuthors``
/// - ``contextNames``
/// - ``storeIdentifiers``
///
/// ### Changes
///
/// - ``of(_:)``
/// - ``entityNames``
/// - ``only(_:)``
/// - ``kinds``
/// - ``objectIDs``
/// - ``includesChanges``
///
/// ### Limits
///
/// - ``limit``
/// - ``fetchLimit``
public struct HistoryRequest: Sendable {
    /// The token after which the transactions begin; nil means from the beginning.
    public var token: HistoryToken?
    /// The date after which the requested transactions were committed, or nil for all transactions.
    public var date: Date?
    /// The authors of the requested transactions, or nil for all.
    public var authors: Set<String>?
    /// The authors of transactions that are excluded from the result.
    public var excludedAuthors: Set<String> = []
    /// The names of the contexts of the requested transactions, or nil for all.
    public var contextNames: Set<String>?
    /// The entities of the changed objects, including their sub-entities, or nil for all.
    public var entityNames: Set<String>?
    /// The changed objects, or nil for all.
    public var objectIDs: Set<ObjectID>?
    /// The kinds of the requested changes, or nil for all.
    public var kinds: Set<HistoryChange.Kind>?
    /// The UUIDs of the stores, or nil for all.
    public var storeIdentifiers: Set<UUID>?
    /// Whether transactions contain their changes. Default: true. If it is false, only the
    /// transactions are read, so that a request cannot filter by changes: with ``entityNames``,
    /// ``objectIDs`` or ``kinds`` the fetch throws ``StoreError`` with `invalidRequest`.
    public var includesChanges = true
    /// The greatest number of transactions of each store. The result's token continues with the
    /// next ones.
    public var limit: Int?
    /// The ``limit`` as Core Data has it, for ported code: 0, the default, means no limit.
    public var fetchLimit: Int {
        get { limit ?? 0 }
        set { limit = newValue == 0 ? nil : newValue }
    }

    /// Requests all transactions after a token; nil for all in the history.
    public init(after token: HistoryToken? = nil) {
        self.token = token
    }

    /// Requests all transactions after a date; nil for all in the history.
    @_disfavoredOverload
    public init(after date: Date?) {
        // Disfavoured, so that a literal nil is a token: both mean the same.
        self.date = date
    }

    /// Returns a request for transactions of an author, in addition to the authors that it already
    /// has.
    public func by(author: String) -> HistoryRequest {
        with { $0.authors = ($0.authors ?? []).union([author]) }
    }

    /// Returns a request without transactions of an author.
    public func excluding(author: String) -> HistoryRequest {
        with { $0.excludedAuthors.insert(author) }
    }

    /// Returns a request for changes of some kinds.
    public func only(_ kinds: HistoryChange.Kind...) -> HistoryRequest {
        with { $0.kinds = Set(kinds) }
    }

    private func with(_ change: (inout HistoryRequest) -> Void) -> HistoryRequest {
        var copy = self
        change(&copy)
        return copy
    }

    /// Whether some changes are passed over.
    package var selectsChanges: Bool { entityNames != nil || objectIDs != nil || kinds != nil }

    /// - Throws: ``StoreError`` if parts of the request contradict each other.
    package func check() throws {
        guard selectsChanges, !includesChanges else { return }
        throw StoreError(
            code: .invalidRequest,
            message: "A history request selects entities, objects or kinds of changes, but reads "
                + "no changes.",
            remedy: "Set includesChanges to true, or remove the conditions.")
    }

    /// Whether a transaction of an author and a context is wanted.
    package func wants(author: String?, contextName: String?, date: Date) -> Bool {
        if let authors { guard let author, authors.contains(author) else { return false } }
        if let author, excludedAuthors.contains(author) { return false }
        if let contextNames {
            guard let contextName, contextNames.contains(contextName) else { return false }
        }
        return self.date.map { date > $0 } ?? true
    }
}

/// A position in the histories of stores: everything before it has been read.
///
/// It may be kept in a file and sent elsewhere. Tokens of several stores have no order;
/// ``contains(_:)`` compares them store by store.
public struct HistoryToken: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A place in the history of one store.
    package struct Position: Sendable, Hashable, Codable {
        /// Identifies the history of the store. If the history is deleted and a new one begins, the
        /// new history has a different identifier.
        package let epoch: UUID
        /// The number of the last change; on a server, of the last transaction.
        package let change: Int64

        package init(epoch: UUID, change: Int64) {
            self.epoch = epoch
            self.change = change
        }
    }

    /// The tokens by the UUID of the store.
    package private(set) var positions: [UUID: Position]

    package init(_ positions: [UUID: Position] = [:]) {
        self.positions = positions
    }

    /// The UUIDs of the stores.
    public var storeIdentifiers: Set<UUID> { Set(positions.keys) }

    /// Whether this token includes everything of a store that another token includes.
    ///
    /// - Returns: Nil if one of them does not have the store, or if they are of different histories
    ///   of it.
    public func contains(_ other: HistoryToken, inStore identifier: UUID) -> Bool? {
        guard let mine = positions[identifier], let theirs = other.positions[identifier],
            mine.epoch == theirs.epoch
        else { return nil }
        return mine.change >= theirs.change
    }

    /// Whether all that another token has seen of its stores has been seen here.
    public func contains(_ other: HistoryToken) -> Bool {
        other.positions.keys.allSatisfy { contains(other, inStore: $0) ?? false }
    }

    /// Advances to another token: store by store, to the later position. If the histories differ,
    /// it takes the other token's position.
    public mutating func formUnion(_ other: HistoryToken) {
        for (store, position) in other.positions where contains(other, inStore: store) != true {
            positions[store] = position
        }
    }

    package mutating func advance(_ store: UUID, to position: Position) {
        positions[store] = position
    }

    /// Writes the places by the UUIDs of their stores.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(
            Dictionary(uniqueKeysWithValues: positions.map { ($0.key.uuidString, $0.value) }))
    }

    /// Decodes the output of ``encode(to:)``.
    ///
    /// - Throws: `DecodingError` if it is invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        var positions: [UUID: Position] = [:]
        for (text, position) in try container.decode([String: Position].self) {
            guard let store = UUID(uuidString: text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\(text) is not a UUID of a store.")
            }
            positions[store] = position
        }
        self.init(positions)
    }

    /// The number of the last change of each store.
    public var description: String {
        let places = positions.map { "\($0.key.uuidString): \($0.value.change)" }.sorted()
        return "HistoryToken(\(places.joined(separator: ", ")))"
    }
}
