import CambiumRecords

/// Finds objects by their unique values, many with one statement.
final class ImportTargetLookup {
    private let transaction: any BatchTransaction
    /// What was found, by the number of the destination and the names of the key.
    private var known: [Place: [ExchangeKey: Int64]] = [:]

    private struct Place: Hashable {
        let destination: Int
        let properties: [String]
    }

    private static let maximumKnown = 100_000

    init(_ transaction: any BatchTransaction) {
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
        // What a key's relationship references may change with other rows than the destination's.
        guard remembers, key.hasAttributesOnly else {
            return try find(keys, relationship.destination, key)
        }
        let place = Place(
            destination: relationship.destination.index, properties: key.unique.properties)
        var known = self.known.removeValue(forKey: place) ?? [:]
        let unknown = keys.filter { known[$0] == nil }
        if known.count > Self.maximumKnown {
            known = known.filter { keys.contains($0.key) }
        }
        if !unknown.isEmpty {
            known.merge(try find(unknown, relationship.destination, key)) { $1 }
        }
        self.known[place] = known
        return known
    }

    /// Finds objects with one statement, and one for each relationship that the key includes.
    private func find(
        _ keys: Set<ExchangeKey>, _ destination: EntityDescription, _ key: ExchangeKeyShape
    ) throws -> [ExchangeKey: Int64] {
        var linked: [Int: [ExchangeKey: Int64]] = [:]
        for column in key.columns {
            guard case .relationship(_, let destination, let inner) = column.content else {
                continue
            }
            let innerKeys = Set(keys.map { $0.part(column.parts) })
            linked[column.slot] = try find(innerKeys, destination, inner)
        }
        let shape = key.declarer.shape
        let writer = RecordWriter()
        var wanted: [ExchangeKey] = []
        var records: [PlacedRecord] = []
        search: for exchanged in keys {
            var placed = writer.makeRecord(shape, room: 64)
            for column in key.columns {
                if let found = linked[column.slot] {
                    guard let target = found[exchanged.part(column.parts)] else { continue search }
                    placed.record.setInteger(column.slot, target)
                } else {
                    let value = exchanged.values[column.parts.lowerBound]
                    writer.set(value, column.slot, of: &placed, shape)
                }
            }
            // No row has such a key.
            placed.record.key = -1 - Int64(wanted.count)
            wanted.append(exchanged)
            records.append(placed)
        }
        guard !records.isEmpty else { return [:] }
        var found: [ExchangeKey: Int64] = [:]
        try withExtendedLifetime(records) {
            for holder in try transaction.lookup.holders(
                of: key.unique, records.map(\.record), key.declarer)
            {
                found[wanted[Int(-1 - holder.record)]] = holder.row
            }
        }
        return try ofDestination(found, destination, key)
    }

    /// Leaves out objects that have the values and are of another branch of the hierarchy than the
    /// destination.
    private func ofDestination(
        _ found: [ExchangeKey: Int64], _ destination: EntityDescription, _ key: ExchangeKeyShape
    ) throws -> [ExchangeKey: Int64] {
        let family = transaction.model.families[destination.index]
        guard family.count < transaction.model.families[key.declarer.index].count else {
            return found
        }
        let root = transaction.model.entities[destination.rootIndex]
        let heads = try transaction.rowKeys(
            RowRequest(entity: root, selection: .keys(Array(found.values))))
        let fitting = Set(heads.filter { family.contains($0.entity) }.map(\.key))
        return found.filter { fitting.contains($0.value) }
    }
}
