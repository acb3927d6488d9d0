import CambiumRecords
import CambiumSQLiteStore

/// Imports the sources of a request in one transaction.
///
/// Each slice of rows is read on a separate thread, while earlier slices are linked to existing
/// objects and written. A link to an object that may come later has to wait. If the row can be
/// written without the link, the link waits in a spool until the end. If not, the row waits with
/// its bytes until more rows are written.
final class ImportWork: BatchWork {
    let resultType: BatchResultType
    // The input is read once.
    let canPlan = false
    let canRunAgain = false
    private let request: ImportRequest
    private let sources: [ExchangePlans]
    private var readers: [(any ImportRowReader)?] = []
    private var log: ImportLog
    private var rowCount = 0

    /// The number of slices that are read while one is written.
    private static let slicesAhead = 2

    init(_ request: ImportRequest, _ sources: [ExchangePlans]) {
        self.request = request
        self.sources = sources
        resultType = request.resultType
        log = ImportLog(request, sources)
    }

    /// The result, after the commit.
    func result(_ batch: BatchResult) -> ImportResult {
        var result = log.result
        result.ignoredFields = readers.flatMap { $0?.ignoredFields ?? [] }
        result.changes = batch.changes
        return result
    }

    func run(in transaction: any BatchTransaction) throws {
        let lookup = ImportTargetLookup(transaction)
        let linker = ImportLinker(request, sources, transaction, lookup, log)
        let held = HeldRows(JSONForm())
        for (number, source) in request.sources.enumerated() {
            let writer = ImportRowWriter(request, sources, number, transaction, lookup, linker, log)
            try read(source, number, writer, held)
            lookup.forget()
        }
        try settle(held, transaction, lookup, linker)
        try linker.settleWaiting()
    }

    /// A row that waits for the object that it cannot be without.
    private struct HeldRow: Codable {
        let source: Int
        let line: Int
        let bytes: Data
    }

    private typealias HeldRows = Spool<JSONForm<HeldRow>>

    // MARK: Reading

    private func read(
        _ source: ImportSource, _ number: Int, _ writer: ImportRowWriter,
        _ held: HeldRows
    ) throws {
        let records = try RecordReader(
            source.input, scanner: source.format.scanner(columnCount: source.columns?.count))
        do {
            let reader = try rowReader(source, sources[number])
            readers.append(reader)
            let slices = ImportSlices(records, reader)
            let ahead = ReadAhead(Self.slicesAhead) { try slices.next() }
            defer { ahead.stop() }
            while let slice = try ahead.next() {
                try Task.checkCancellation()
                try write(slice, number, writer, held)
            }
        } catch let error as InputError {
            // A source without a reader has no rows that could wait.
            if readers.count == number { readers.append(nil) }
            try log.add(error, source: number)
        }
    }

    private func rowReader(
        _ source: ImportSource, _ plans: ExchangePlans
    ) throws -> any ImportRowReader {
        guard case .csv = source.format else { return JSONRowReader(plans) }
        return try CSVRowReader(
            plans, separator: source.format.separatorByte, columns: source.columns)
    }

    private func write(
        _ slice: ImportSlice, _ number: Int, _ writer: ImportRowWriter, _ held: HeldRows
    ) throws {
        rowCount += slice.rows.count
        var waiting = try writer.write(slice.rows, mayWait: true)
        // A row may wait for a row before it in the same slice.
        while !waiting.isEmpty {
            let still = try writer.write(waiting.map { slice.rows[$0] }, mayWait: true)
            if still.count == waiting.count { break }
            waiting = still.map { waiting[$0] }
        }
        for index in waiting {
            let row = slice.rows[index]
            try held.append(
                HeldRow(
                    source: number, line: row.line, bytes: Data(slice.block.bytes[row.source])))
        }
        guard let end = slice.end else { return }
        request.progress?(
            ImportProgress(
                source: number, rows: rowCount, bytes: end.position, byteCount: end.size))
        if let failure = end.failure { throw failure }
    }

    // MARK: Rows that waited

    /// Tries the waiting rows again, until an attempt finds no more of their destinations.
    private func settle(
        _ held: HeldRows, _ transaction: any BatchTransaction,
        _ lookup: ImportTargetLookup, _ linker: ImportLinker
    ) throws {
        var held = held
        var mayWait = true
        while held.count > 0 {
            let still = HeldRows(JSONForm())
            let count = held.count
            while case let waiting = try held.next(ImportSlices.size), !waiting.isEmpty {
                try Task.checkCancellation()
                for (number, group) in Dictionary(grouping: waiting, by: \.source)
                    .ordered(by: { $0.key < $1.key })
                {
                    let writer = ImportRowWriter(
                        request, sources, number, transaction, lookup, linker, log)
                    let rows = try group.compactMap(row)
                    for index in try writer.write(rows.map(\.row), mayWait: mayWait) {
                        try still.append(rows[index].held)
                    }
                    lookup.forget()
                }
            }
            mayWait = still.count < count
            held = still
        }
    }

    /// Reads the row of a held record again.
    private func row(_ held: HeldRow) throws -> (held: HeldRow, row: ImportRow)? {
        let bytes = Array(held.bytes)
        let entry = RecordBlock.Entry(range: 0..<bytes.count, line: held.line)
        let block = RecordBlock(bytes: bytes, entries: [entry])
        return try readers[held.source]?.row(entry, of: block).map { (held, $0) }
    }
}

/// Rows of a source that are written together.
struct ImportSlice: Sendable {
    let rows: [ImportRow]
    /// The block from which the rows were read.
    let block: RecordBlock
    /// The progress in the input, if these are the last rows of their block.
    let end: End?

    struct End: Sendable {
        /// The number of bytes that were read.
        let position: Int
        /// The number of bytes; nil if unknown.
        let size: Int?
        /// The error after these rows, if reading failed.
        let failure: (any Error)?
    }
}

/// Reads a source slice by slice.
final class ImportSlices: @unchecked Sendable {
    // Safety: only the thread that reads ahead uses it, and who waited for that thread's end.
    let reader: any ImportRowReader
    private var records: RecordReader
    private var block = RecordBlock(bytes: [], entries: [])
    /// The number of the block's records that are in slices.
    private var taken = 0

    /// The number of rows that are written at once.
    static let size = 1024

    init(_ records: RecordReader, _ reader: any ImportRowReader) {
        self.records = records
        self.reader = reader
    }

    /// The next slice; nil at the end.
    ///
    /// - Throws: ``InputError`` if the input cannot be parsed; the error of reading it.
    func next() throws -> ImportSlice? {
        if taken == block.entries.count {
            guard let next = try records.next() else { return nil }
            block = next
            taken = 0
        }
        // The writer of the rows continues to write in the pages of a slice, while this reader
        // writes in new pages.
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

/// Writes Codable values as JSON into a spool.
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
