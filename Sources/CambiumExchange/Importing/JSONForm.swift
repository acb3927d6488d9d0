import CambiumRecords
import CambiumSQLiteStore

/// Any values, as JSON: what waits in a spool.
struct JSONForm<Element: Codable>: SpoolForm {
    let shape = RecordShape(kinds: [.blob])
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    func record(of element: Element, by writer: RecordWriter) throws -> PlacedRecord {
        var placed = writer.makeRecord(shape)
        writer.set(.blob(try encoder.encode(element)), 0, of: &placed, shape)
        return placed
    }

    func element(of record: Record, by writer: RecordWriter) throws -> Element {
        try decoder.decode(Element.self, from: Data(record.bytes(0)))
    }
}
