/// Reads an input block by block and cuts it into records, which it does not look into.
///
/// In memory are a block and the record that reaches into the next one.
struct RecordReader {
    /// A longer record is refused: with a quote that nobody closes the rest of a file would be one.
    static let maximumRecordSize = 64 << 20

    private var source: ByteSource
    private var scanner: any RecordScanner
    private var bytes: [UInt8] = []
    /// How many of the bytes the scanner has seen.
    private var scanned = 0
    private var hasBegun = false
    private var isAtEnd = false

    init(_ input: ImportInput, scanner: any RecordScanner) throws {
        source = try ByteSource(input)
        self.scanner = scanner
    }

    /// How many bytes were read.
    var position: Int { source.position }
    /// How many bytes there are; nil where that is not known.
    var size: Int? { source.size }

    /// The records of the next block that has any; nil at the end.
    ///
    /// - Throws: ``InputError`` where the input does not go on as its format says; what reading it
    ///   throws.
    mutating func next() throws -> RecordBlock? {
        while !isAtEnd {
            let block = try source.next()
            isAtEnd = block.isEmpty
            bytes += block
            if !hasBegun, !isAtEnd || !bytes.isEmpty {
                // A mark that some programs put at the start of UTF-8.
                if bytes.count < 3, !isAtEnd { continue }
                hasBegun = true
                if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
            }
            var records: [RecordBlock.Entry] = []
            do {
                try scanner.scan(bytes, from: scanned, isLast: isAtEnd, into: &records)
            } catch {
                // What came before counts.
                isAtEnd = true
                return RecordBlock(bytes: bytes, entries: records, failure: error)
            }
            scanned = bytes.count
            if let last = records.last {
                let found = RecordBlock(bytes: bytes, entries: records)
                drop(last.range.upperBound)
                return found
            }
            if bytes.count - scanner.recordStart > Self.maximumRecordSize {
                isAtEnd = true
                throw InputError(
                    line: scanner.recordLine, column: nil,
                    message: "The row that begins here is longer than "
                        + "\(Self.maximumRecordSize >> 20) MB. Look for a quote or a bracket that "
                        + "is not closed.")
            }
            drop(scanner.recordStart)
        }
        return nil
    }

    private mutating func drop(_ count: Int) {
        guard count > 0 else { return }
        bytes = Array(bytes[count...])
        scanned -= count
        scanner.drop(count)
    }
}

/// Some records of an input, as they stand there.
struct RecordBlock: Sendable {
    /// One record.
    struct Entry: Sendable {
        let range: Range<Int>
        /// The line in which it begins; the first has number 1.
        let line: Int
    }

    let bytes: [UInt8]
    let entries: [Entry]
    /// Why nothing comes after them.
    var failure: (any Error)?
}

/// An input that does not go on as its format says.
struct InputError: Error {
    let line: Int
    let column: Int?
    let message: String
}

/// Finds where records begin and end.
protocol RecordScanner {
    /// Where the record begins that is not complete yet; how many bytes were seen where there is
    /// none.
    var recordStart: Int { get }
    /// The line in which it begins.
    var recordLine: Int { get }

    /// Looks at the bytes from an index on, those in front of which were seen before.
    ///
    /// - Parameters:
    ///   - isLast: Whether no more bytes come.
    ///   - entries: Gets the complete records.
    /// - Throws: ``InputError``
    mutating func scan(
        _ bytes: [UInt8], from start: Int, isLast: Bool, into entries: inout [RecordBlock.Entry]
    ) throws

    /// Takes note that bytes at the front are gone.
    mutating func drop(_ count: Int)
}
