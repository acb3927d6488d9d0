import CambiumRecords

/// The row that a fetch stands at, valid during the call that hands it over: the next row comes in
/// the same object. (A value would count the references in it up and down, for each row.)
///
/// This one has no values to be read, as those of fetches have which ask for keys only.
class StoreRow {
    // Safety: written by a fetch between the calls in which they are read.
    @exclusivity(unchecked) final var key: Int64
    @exclusivity(unchecked) final var version: Int64
    /// The number of the row's own entity.
    @exclusivity(unchecked) final var entity: Int

    init(key: Int64 = 0, version: Int64 = 0, entity: Int = 0) {
        self.key = key
        self.version = version
        self.entity = entity
    }

    /// Reads the row's values into a record.
    func record(in writer: RecordWriter) throws -> PlacedRecord {
        throw StoreError(
            code: .missingRow, message: "The values of row \(key) were not read.",
            remedy: "Fetch the object again.")
    }
}

/// A row with its values.
struct ReadRow {
    /// The number of the row's own entity.
    let entity: Int
    let placed: PlacedRecord
}
