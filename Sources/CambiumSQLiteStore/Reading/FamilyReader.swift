import CambiumEngine
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
