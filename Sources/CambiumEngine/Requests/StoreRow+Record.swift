import CambiumRecords

extension StoreRow {
    /// Reads the row's values into a record.
    ///
    /// - Throws: ``StoreError`` where only its key was asked for; what reading throws.
    package func record(in writer: RecordWriter) throws -> PlacedRecord {
        guard let placed = try values(in: writer) else {
            throw StoreError(
                code: .missingRow, message: "The values of row \(key) were not read.",
                remedy: "Fetch the object again.")
        }
        return placed
    }
}
