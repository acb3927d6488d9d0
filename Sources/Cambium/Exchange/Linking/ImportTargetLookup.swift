import CambiumRecords

/// Finds objects by their unique values, many with one statement.
final class ImportTargetLookup {
    private let transaction: BatchTransaction
    /// What was found, by the number of the destination and the names of the key.
    private var known: [Place: [ExchangeKey: Int64]] = [:]

    private struct Place: Hashable {
        let destination: Int
        let properties: [String]
    }

    private static let maximumKnown = 100_000

    init(_ transaction: BatchTransaction) {
        self.transaction = transaction
    }

    /// Forgets what was found: other rows are written from now on.
    func forget() {
        known = [:]
    }

    /// The keys of the objects that have the values.
    ///
    /// - Parameter remembers: Whether the answers stay true until ``forget()``.
    func find(
        _ keys: Set<ExchangeKey>, _ relationship: ExchangeRelationship, remembers: Bool
    ) throws -> [ExchangeKey: Int64] {
        guard !keys.isEmpty, let key = relationship.key else { return [:] }
        guard remembers else { return try find(keys, relationship, key) }
        let place = Place(
            destination: relationship.destination.index, properties: key.unique.properties)
        var known = self.known.removeValue(forKey: place) ?? [:]
        let unknown = keys.filter { known[$0] == nil }
        if known.count > Self.maximumKnown {
            known = known.filter { keys.contains($0.key) }
        }
        if !unknown.isEmpty {
            known.merge(try find(unknown, relationship, key)) { $1 }
        }
        self.known[place] = known
        return known
    }

    private func find(
        _ keys: Set<ExchangeKey>, _ relationship: ExchangeRelationship,
        _ key: ExchangeRelationship.Key
    ) throws -> [ExchangeKey: Int64] {
        let shape = key.declarer.shape
        let writer = RecordWriter()
        let wanted = Array(keys)
        let records = wanted.enumerated().map { index, wanted in
            var placed = writer.makeRecord(shape, room: 64)
            // No row has such a key.
            placed.record.key = -1 - Int64(index)
            for (slot, value) in zip(key.unique.slots, wanted.values) {
                writer.set(value, slot, of: &placed, shape)
            }
            return placed
        }
        var found: [ExchangeKey: Int64] = [:]
        try withExtendedLifetime(records) {
            for holder in try transaction.lookup.holders(
                of: key.unique, records.map(\.record), key.declarer)
            {
                found[wanted[Int(-1 - holder.record)]] = holder.row
            }
        }
        return try ofDestination(found, relationship, key)
    }

    /// Leaves out objects that have the values and are of another branch of the hierarchy than the
    /// relationship leads to.
    private func ofDestination(
        _ found: [ExchangeKey: Int64], _ relationship: ExchangeRelationship,
        _ key: ExchangeRelationship.Key
    ) throws -> [ExchangeKey: Int64] {
        let family = transaction.model.families[relationship.destination.index]
        guard family.count < transaction.model.families[key.declarer.index].count else {
            return found
        }
        let root = transaction.model.entities[relationship.destination.rootIndex]
        let heads = try transaction.heads(
            RowRequest(entity: root, selection: .keys(Array(found.values))))
        let fitting = Set(heads.filter { family.contains($0.entity) }.map(\.key))
        return found.filter { fitting.contains($0.value) }
    }
}
