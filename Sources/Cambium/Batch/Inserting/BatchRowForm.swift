import CambiumRecords

/// Rows of a batch insertion as they are, with a slot for the numbers of the slots that were set.
/// All rows of the input go there, so that the number in the spool is that in the input.
struct BatchRowForm: SpoolForm {
    let shape: RecordShape
    private let rowShape: RecordShape
    private var slotsOfRow: Range<Int> { rowShape.kinds.indices }
    private var slotOfSlots: Int { rowShape.kinds.count }

    init(_ entity: EntityDescription) {
        rowShape = entity.shape
        shape = RecordShape(kinds: entity.shape.kinds + [.blob])
    }

    func record(of row: BatchRow, by writer: RecordWriter) -> PlacedRecord {
        var placed = writer.makeRecord(shape)
        for slot in slotsOfRow {
            writer.copySlot(slot, from: row.placed.record, to: &placed, shape)
        }
        let slots = Data(row.slots.slots.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8 & 0xff)] })
        writer.set(.blob(slots), slotOfSlots, of: &placed, shape)
        return placed
    }

    func element(of record: Record, by writer: RecordWriter) -> BatchRow {
        var placed = writer.makeRecord(rowShape)
        for slot in slotsOfRow { writer.copySlot(slot, from: record, to: &placed, rowShape) }
        var slots = SlotSet()
        let bytes = record.bytes(slotOfSlots)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            slots.insert(Int(bytes[index]) | Int(bytes[index + 1]) << 8)
        }
        return BatchRow(index: Int(record.key), placed: placed, slots: slots)
    }
}
