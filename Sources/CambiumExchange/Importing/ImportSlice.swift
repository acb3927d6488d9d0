/// Some rows of a source, which are written at once.
struct ImportSlice: Sendable {
    let rows: [ImportRow]
    /// What they were read from.
    let block: RecordBlock
    /// How much of the input was read, where these are the last rows of their block.
    let end: End?

    struct End: Sendable {
        /// How many bytes were read.
        let position: Int
        /// How many bytes there are; nil where that is not known.
        let size: Int?
        /// Why nothing comes after them.
        let failure: (any Error)?
    }
}

/// Reads a source slice by slice.
final class ImportSlices: @unchecked Sendable {
    // Safety: only the thread that reads ahead uses it, and who waited for that thread's end.
    let reader: any ImportRowReader
    private var records: RecordReader
    private var block = RecordBlock(bytes: [], entries: [])
    /// How many records of the block are in slices.
    private var taken = 0

    /// So many rows are written at once.
    static let size = 1024

    init(_ records: RecordReader, _ reader: any ImportRowReader) {
        self.records = records
        self.reader = reader
    }

    /// The next slice; nil at the end.
    ///
    /// - Throws: ``InputError`` where nothing can be made of the input; what reading it throws.
    func next() throws -> ImportSlice? {
        if taken == block.entries.count {
            guard let next = try records.next() else { return nil }
            block = next
            taken = 0
        }
        // Who writes the rows goes on writing in their pages, as this does in those of the next.
        reader.beginSlice()
        var rows: [ImportRow] = []
        while taken < block.entries.count, rows.count < Self.size {
            taken += 1
            if let row = try reader.row(block.entries[taken - 1], of: block) { rows.append(row) }
        }
        let isLast = taken == block.entries.count
        return ImportSlice(
            rows: rows, block: block,
            end: isLast
                ? .init(position: records.position, size: records.size, failure: block.failure)
                : nil)
    }
}
