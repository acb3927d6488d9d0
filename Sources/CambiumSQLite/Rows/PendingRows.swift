import CambiumRecords

/// The records that the next statement over the `pending` table sees.
package final class PendingRows {
    // Safety: filled before each statement and emptied after it by the connection, whose caller keeps
    // the pages alive meanwhile.
    @exclusivity(unchecked) var records: [Record] = []
    @exclusivity(unchecked) var shape = RecordShape(kinds: [])
    /// Where, in the records, keys follow each other without a gap.
    @exclusivity(unchecked) var run = 0..<0

    /// The record of a key in the run.
    @inline(__always)
    func record(of key: Int64) -> Record? {
        guard !run.isEmpty else { return nil }
        let place = key &- records[run.lowerBound].key
        guard place >= 0, place < run.count else { return nil }
        return records[run.lowerBound &+ Int(place)]
    }
}
