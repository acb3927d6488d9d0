import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

extension PostgresTable {
    /// The number of the entity of a row.
    func entity(of rows: PostgresRows, _ row: Int, in model: ModelDescription) -> Int {
        guard entity.hasEntityColumn else { return entity.index }
        return model.index(named: rows.text(row, 2)) ?? entity.index
    }

    /// Reads the values of a row.
    ///
    /// - Parameter number: The number of the row's own entity.
    /// - Throws: ``StoreError`` if that entity is not part of the family.
    func read(
        _ rows: PostgresRows, _ row: Int, entity number: Int, in model: ModelDescription,
        into writer: RecordWriter, firstColumn: Int = 0
    ) throws -> PlacedRecord {
        guard let fields = fields[number] else {
            throw Self.otherEntity(ofRow: rows.integer(row, firstColumn))
        }
        let (row, first) = (Int32(row), Int32(firstColumn))
        // Safety: the model keeps its entities, and they keep their shapes.
        return uncounted(model.entities[number]).use { entity in
            uncounted(entity.shape).use { shape in
                var placed = writer.makeRecord(shape)
                placed.record.key = rows.value(row, first)?.wholeNumber ?? 0
                placed.record.version = rows.value(row, first + 1)?.wholeNumber ?? 0
                // By address: each element of an array would be checked to be inside.
                fields.withUnsafeBufferPointer { fields in
                    for field in fields {
                        guard let value = rows.value(row, first + field.column) else { continue }
                        field.type.read(value, into: &placed, field.slot, writer, shape)
                    }
                }
                return placed
            }
        }
    }

    /// The error for a row whose entity is not part of the family.
    static func otherEntity(ofRow key: Int64) -> StoreError {
        StoreError(
            code: .corrupt,
            message: "Another program has changed the entity of row \(key) to one that the request "
                + "does not include.",
            remedy: "Restore a backup.")
    }
}
