import CambiumRecords

/// Any values, as JSON.
struct JSONForm<Element: Codable>: SpoolForm {
    let shape = RecordShape(kinds: [.blob])
    private let codec = JSONCodec()

    func record(of element: Element, by writer: RecordWriter) throws -> PlacedRecord {
        var placed = writer.makeRecord(shape)
        writer.set(.blob(try codec.json(of: element)), 0, of: &placed, shape)
        return placed
    }

    func element(of record: Record, by writer: RecordWriter) throws -> Element {
        try codec.value(of: record.bytes(0))
    }
}
