import CambiumModel

extension RecordWriter {
    /// A copy of a record in a page that holds nothing else, for records that are kept for long.
    package static func compactCopy(_ source: Record, _ shape: RecordShape) -> PlacedRecord {
        let page = RowPage(capacity: shape.recordSize + source.byteCount(shape))
        // There is room: the page is made for it.
        let start = page.allocate(shape.recordSize) ?? page.start
        let copy = PlacedRecord(page: page, record: Record(base: start + shape.prefixSize))
        fill(copy, from: source, shape)
        return copy
    }
}
