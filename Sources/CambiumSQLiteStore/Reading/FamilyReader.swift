import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Reads rows that were asked for as those of an entity, and that may be of its sub-entities.
final class FamilyReader: Sendable {
    private let entity: EntityDescription
    private let model: ModelDescription
    /// What reads the rows of the entity itself.
    private let own: RowReader
    /// What reads those of each entity of its family.
    private let readers: [RowReader?]

    init(_ entity: EntityDescription, in model: ModelDescription, _ select: SelectSQL) {
        self.entity = entity
        self.model = model
        own = Self.rowReader(of: entity, in: select)
        let family = model.families[entity.index]
        readers = model.entities.map { entity in
            family.contains(entity.index) ? Self.rowReader(of: entity, in: select) : nil
        }
    }

    private static func rowReader(
        of entity: EntityDescription, in select: SelectSQL
    ) -> RowReader {
        RowReader(
            shape: entity.shape,
            columns: entity.layout.slots.map { slot in
                slot.column.flatMap { select.columns.firstIndex(of: $0) }
                    .map { select.firstColumn + $0 }
            },
            columnNames: entity.layout.slots.map { "\(entity.name).\($0.property)" })
    }

    /// The number of a row's own entity.
    @inline(__always)
    func entity(of row: CurrentRow) -> Int {
        guard entity.hasEntityColumn else { return entity.index }
        return model.index(named: row.text(at: 2)) ?? entity.index
    }

    /// Reads a row's values into a record.
    ///
    /// - Parameter number: The number of the row's own entity.
    @inline(__always)
    func read(
        _ row: CurrentRow, entity number: Int, key: Int64, version: Int64,
        into writer: RecordWriter
    ) throws -> PlacedRecord {
        if number == entity.index {
            return try own.read(row, key: key, version: version, into: writer)
        }
        guard let reader = readers[number] else {
            throw StoreError(
                code: .corrupt,
                message: "Another program has changed the entity of row \(key) to one that the "
                    + "request does not include.",
                remedy: "Restore a backup.")
        }
        return try reader.read(row, key: key, version: version, into: writer)
    }
}

/// Keys that lie so close together that the rows of half of the keys between them, or more, are
/// wanted. To walk along those takes less time than to look up each of the wanted ones.
struct DenseKeys {
    let range: ClosedRange<Int64>
    /// For each key of the range, whether it is one of them.
    private let isWanted: [Bool]

    /// Nil where the keys are few, or lie further apart.
    init?(_ keys: [Int64]) {
        guard keys.count >= 64, let first = keys.min(), let last = keys.max() else { return nil }
        let (distance, overflows) = last.subtractingReportingOverflow(first)
        guard !overflows, distance < Int64(keys.count) * 2 else { return nil }
        range = first...last
        var isWanted = [Bool](repeating: false, count: Int(distance) + 1)
        for key in keys { isWanted[Int(key - first)] = true }
        self.isWanted = isWanted
    }

    /// - Parameter key: One in the range.
    @inline(__always)
    func contains(_ key: Int64) -> Bool { isWanted[Int(key &- range.lowerBound)] }
}

extension Connection {
    /// Runs a query over keys, which are in the `pending` table.
    func query(
        _ sql: String, over keys: [Int64], _ parameters: [StoredValue] = [],
        _ receive: (Statement) throws(SQLiteError) -> Void
    ) throws {
        guard !keys.isEmpty else { return }
        let shape = RecordShape(kinds: [])
        let writer = RecordWriter()
        let records = keys.map { key in
            let placed = writer.makeRecord(shape, room: 0)
            placed.record.key = key
            return placed
        }
        try withExtendedLifetime(records) {
            try queryPending(
                sql, over: records.map(\.record), shape: shape, parameters: parameters, receive)
        }
    }

    /// Runs one of the statements of ``LinkSQL`` over pairs.
    func run(_ sql: String, over pairs: [(source: Int64, destination: Int64)]) throws {
        guard !pairs.isEmpty else { return }
        let shape = RecordShape(kinds: [.integer])
        let writer = RecordWriter()
        let records = pairs.map { pair in
            let placed = writer.makeRecord(shape)
            placed.record.key = pair.source
            placed.record.setInteger(0, pair.destination)
            return placed
        }
        try withExtendedLifetime(records) {
            _ = try runPending(sql, over: records.map(\.record), shape: shape)
        }
    }
}
