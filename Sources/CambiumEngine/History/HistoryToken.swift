import CambiumModel

/// A place in the histories of stores: what has been seen, and what comes after it.
///
/// It may be kept in a file and sent elsewhere. Between the tokens of several stores there is no
/// order; ``contains(_:)`` compares them store by store.
public struct HistoryToken: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A place in the history of one store.
    package struct Position: Sendable, Hashable, Codable {
        /// Which history of the store: one that was removed and started over is another one.
        package let epoch: UUID
        /// The number of the last change.
        package let change: Int64

        package init(epoch: UUID, change: Int64) {
            self.epoch = epoch
            self.change = change
        }
    }

    /// By the UUID of the store.
    package private(set) var positions: [UUID: Position]

    package init(_ positions: [UUID: Position] = [:]) {
        self.positions = positions
    }

    /// The UUIDs of the stores.
    public var storeIdentifiers: Set<UUID> { Set(positions.keys) }

    /// Whether all that another token has seen of a store has been seen here.
    ///
    /// - Returns: Nil where one of them knows nothing of the store, or they are of different
    ///   histories of it.
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

    /// Goes on to where another token is: store by store, to the later place; to the other token's
    /// where the histories are different ones.
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

    /// Reads what ``encode(to:)`` writes.
    ///
    /// - Throws: `DecodingError` where it is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        var positions: [UUID: Position] = [:]
        for (text, position) in try container.decode([String: Position].self) {
            guard let store = UUID(uuidString: text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\(text) is no UUID of a store.")
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
