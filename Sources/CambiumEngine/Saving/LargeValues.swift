import CambiumModel
import CambiumRecords

/// Takes large values out of records that are to be written: the rows get their names instead.
package struct LargeValues {
    /// The new content of the slots, for the objects.
    package var moved: [DerivedRow] = []
    /// Keeps the records alive.
    private var records: [PlacedRecord] = []

    package init() {}

    /// Moves the large values of some slots out of records, and returns the records with names in
    /// their place.
    ///
    /// - Parameter keep: Keeps the value of a slot elsewhere, and gives it a name.
    package mutating func move(
        _ records: [Record], _ slots: SlotSet, of entity: EntityDescription,
        keep: (_ record: Record, _ slot: Int) throws -> Data
    ) throws -> [Record] {
        let writer = RecordWriter()
        return try records.map { record in
            let large = slots.slots.filter {
                record.hasValue($0) && record.bytes($0).first == ExternalForm.inline
                    && record.bytes($0).count > ExternalForm.largestInline
            }
            guard !large.isEmpty else { return record }
            var copy = writer.makeRecord(entity.shape)
            copy.record.key = record.key
            copy.record.version = record.version
            var row = DerivedRow(entity: entity.index, key: record.key, values: [])
            for slot in entity.shape.kinds.indices {
                guard large.contains(slot) else {
                    writer.copySlot(slot, from: record, to: &copy, entity.shape)
                    continue
                }
                let reference = StoredValue.blob([ExternalForm.file] + (try keep(record, slot)))
                writer.set(reference, slot, of: &copy, entity.shape)
                row.values.append((slot, reference))
            }
            moved.append(row)
            self.records.append(copy)
            return copy.record
        }
    }
}
