import CambiumRecords

/// The row that a fetch stands at, valid during the call that hands it over: the next row comes in
/// the same object. (A value would count the references in it up and down, for each row.)
package final class StoreRow {
    // Safety: written by a fetch between the calls in which they are read.
    @exclusivity(unchecked) package var key: Int64
    @exclusivity(unchecked) package var version: Int64
    /// The number of the row's own entity.
    @exclusivity(unchecked) package var entity: Int
    @usableFromInline let values: (any RowValues)?

    /// - Parameter values: The values of the row; nil where only its key was asked for.
    package init(
        key: Int64 = 0, version: Int64 = 0, entity: Int = 0, values: (any RowValues)? = nil
    ) {
        self.values = values
        self.key = key
        self.version = version
        self.entity = entity
    }

    /// Reads the row's values into a record.
    @inlinable
    package func record(in writer: RecordWriter) throws -> PlacedRecord {
        guard let placed = try values?.record(of: self, in: writer) else {
            throw StoreError(
                code: .missingRow, message: "The values of row \(key) were not read.",
                remedy: "Fetch the object again.")
        }
        return placed
    }
}

/// The values of the row that a fetch stands at.
package protocol RowValues: AnyObject {
    /// Reads them into a record; nil where there are none.
    func record(of row: StoreRow, in writer: RecordWriter) throws -> PlacedRecord?
}

/// A row with its values.
package struct ReadRow {
    /// The number of the row's own entity.
    package let entity: Int
    package let placed: PlacedRecord

    package init(entity: Int, placed: PlacedRecord) {
        self.entity = entity
        self.placed = placed
    }
}
