import CambiumRecords

/// How the values of a spool lie in its database: each as a record.
package protocol SpoolForm {
    associatedtype Element

    /// What the slots hold.
    var shape: RecordShape { get }

    /// The record of a value; the spool gives it a key.
    func record(of element: Element, by writer: RecordWriter) throws -> PlacedRecord

    /// The value of a record, whose key says how many values came before it.
    func element(of record: Record, by writer: RecordWriter) throws -> Element
}
