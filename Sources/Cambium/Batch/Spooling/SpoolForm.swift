import CambiumRecords

/// How the values of a spool lie in its database: each as a record.
protocol SpoolForm {
    associatedtype Element

    /// What the slots hold.
    var shape: RecordShape { get }

    /// The record of a value; the spool gives it a key.
    func record(of element: Element, by writer: RecordWriter) throws -> PlacedRecord

    /// The value of a record, whose key says how many values came before it.
    func element(of record: Record, by writer: RecordWriter) throws -> Element
}

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
