import CambiumModel

extension RecordWriter {
    /// A copy of a record in a page that holds nothing else, for records that are kept for long.
    package static func compactCopy(_ source: Record, _ shape: RecordShape) -> PlacedRecord {
        let textSize = shape.byteSlots.reduce(0) { $0 + source.bytes($1).count }
        let page = RowPage(capacity: shape.prefixSize + shape.fixedSize + textSize)
        // There is room: the page is made for it.
        let start = page.allocate(shape.prefixSize + shape.fixedSize) ?? page.start
        let copy = PlacedRecord(page: page, record: Record(base: start + shape.prefixSize))
        fill(copy, from: source, shape)
        return copy
    }
}
