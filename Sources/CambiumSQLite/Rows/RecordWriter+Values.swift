import CambiumModel

extension RecordWriter {
    /// Writes a value in its stored form; the caller has made sure that it is of the slot's kind.
    package func set(
        _ value: StoredValue, _ slot: Int, of placed: inout PlacedRecord, _ shape: RecordShape
    ) {
        switch value {
        case .null: placed.record.setNull(slot)
        case .integer(let value): placed.record.setInteger(slot, value)
        case .real(let value): placed.record.setReal(slot, value)
        case .text(var text):
            text.withUTF8 { setBytes(UnsafeRawBufferPointer($0), slot, of: &placed, shape) }
        case .blob(let data):
            data.withUnsafeBytes { setBytes($0, slot, of: &placed, shape) }
        }
    }

    /// Copies one slot's value from a record of the same shape.
    package func copySlot(
        _ slot: Int, from source: Record, to placed: inout PlacedRecord, _ shape: RecordShape
    ) {
        guard source.hasValue(slot) else { return placed.record.setNull(slot) }
        switch shape.kinds[slot] {
        case .integer: placed.record.setInteger(slot, source.integer(slot))
        case .real: placed.record.setReal(slot, source.real(slot))
        case .text, .blob: setBytes(source.bytes(slot), slot, of: &placed, shape)
        }
    }
}
