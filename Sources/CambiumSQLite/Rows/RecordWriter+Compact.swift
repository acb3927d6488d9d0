import CambiumModel

extension RecordWriter {
    /// A copy of a record in a page that holds nothing else, for records that are kept for long.
    package static func compactCopy(_ source: Record, _ shape: RecordShape) -> PlacedRecord {
        let textSize = shape.byteSlots.reduce(0) { $0 + source.bytes($1).count }
        let size = shape.prefixSize + shape.fixedSize + textSize
        return RecordWriter(capacity: size).copy(source, shape, room: 0)
    }
}
