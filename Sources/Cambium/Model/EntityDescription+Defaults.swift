import CambiumRecords

extension EntityDescription {
    /// A record with the model's defaults, for a new object.
    ///
    /// - Parameters:
    ///   - writer: Whose pages the record is in.
    ///   - now: The moment that dates start at whose default is the present.
    /// - Throws: Where a default is a new UUID, and there is none.
    func makeRecord(
        by writer: RecordWriter, at now: @autoclosure () -> Date
    ) throws(RandomNumbersError) -> PlacedRecord {
        var placed = writer.copy(template.record, shape, room: 128)
        for (slot, value) in dynamicDefaults {
            switch value {
            case .now:
                placed.record.setReal(slot, now().timeIntervalSinceReferenceDate)
            case .newUUID:
                let id = try UUID.random()
                withUnsafeBytes(of: id.uuid) {
                    writer.setBytes($0, slot, of: &placed, shape)
                }
            case .constant:
                break
            }
        }
        return placed
    }
}
