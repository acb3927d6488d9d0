import Dispatch
import Synchronization

/// Reads an input block by block and cuts it into records. It does not parse the records.
///
/// In memory are a block and the record that continues in the next one.
struct RecordReader {
    /// A longer record is rejected, because with an unclosed quote the rest of a file would be one
    /// record.
    static let maximumRecordSize = 64 << 20

    private var source: ByteSource
    private var scanner: any RecordScanner
    private var bytes: [UInt8] = []
    /// The number of bytes that the scanner has read.
    private var scanned = 0
    private var hasBegun = false
    private var isAtEnd = false

    init(_ input: ImportInput, scanner: any RecordScanner) throws {
        source = try ByteSource(input)
        self.scanner = scanner
    }

    /// The number of bytes that were read.
    var position: Int { source.position }
    /// The number of bytes; nil if unknown.
    var size: Int? { source.size }

    /// The records of the next block that has any; nil at the end.
    ///
    /// - Throws: ``InputError`` if the input does not continue as its format requires; the error of
    ///   reading it.
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
                // The records before the error count.
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

/// Some records of an input, unparsed.
struct RecordBlock: Sendable {
    /// A record of the source.
    struct Entry: Sendable {
        let range: Range<Int>
        /// The line at which it begins; the first has number 1.
        let line: Int
    }

    let bytes: [UInt8]
    let entries: [Entry]
    /// The error after these records, if reading failed.
    var failure: (any Error)?
}

/// An input that does not continue as its format requires.
struct InputError: Error {
    let line: Int
    let column: Int?
    let message: String
}

/// Finds the boundaries of records.
protocol RecordScanner {
    /// The start of the record that is not complete yet; if there is none, the number of bytes
    /// seen.
    var recordStart: Int { get }
    /// The line at which this record begins.
    var recordLine: Int { get }

    /// Scans the bytes from an index on. The bytes before it were scanned already.
    ///
    /// - Parameters:
    ///   - isLast: Whether no more bytes follow.
    ///   - entries: Receives the complete records.
    /// - Throws: ``InputError``
    mutating func scan(
        _ bytes: [UInt8], from start: Int, isLast: Bool, into entries: inout [RecordBlock.Entry]
    ) throws

    /// Adjusts the positions after bytes at the front were dropped.
    mutating func drop(_ count: Int)
}

extension ExchangeFormat {
    /// Returns a scanner that cuts an input of this format.
    func scanner(columnCount: Int?) throws -> any RecordScanner {
        switch self {
        case .json: JSONArrayScanner()
        case .jsonLines: LineScanner()
        case .csv: CSVScanner(separator: try separatorByte, columnCount: columnCount)
        }
    }
}

/// Reads an input from its start, block by block.
struct ByteSource {
    private enum Content {
        case file(SystemFile)
        case temporary(SystemFile)
        case data(Data)
    }

    private let content: Content
    /// The number of bytes that were read.
    private(set) var position = 0

    init(_ input: ImportInput) throws {
        content =
            switch input.content {
            case .file(let path): .file(try reportingFiles { try SystemFile.reading(path) })
            case .temporary(let file): .temporary(file)
            case .data(let data): .data(data)
            }
    }

    /// The number of bytes; nil if unknown.
    var size: Int? {
        switch content {
        case .file(let file), .temporary(let file): file.size
        case .data(let data): data.count
        }
    }

    /// The next block; empty at the end.
    mutating func next() throws -> [UInt8] {
        let block: [UInt8]
        switch content {
        case .file(let file):
            block = try reportingFiles { try file.bytes(ImportInput.blockSize, at: nil) }
        case .temporary(let file):
            block = try reportingFiles { try file.bytes(ImportInput.blockSize, at: position) }
        case .data(let data):
            block = Array(data.dropFirst(position).prefix(ImportInput.blockSize))
        }
        position += block.count
        return block
    }
}

/// Makes elements on a separate thread, a few ahead of the consumer.
final class ReadAhead<Element: Sendable>: Sendable {
    private typealias Made = Result<Element?, any Error>

    private struct State {
        /// The elements that are not taken yet.
        var made: [Made] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "cambium.read-ahead")
    /// Counts the elements that there is room for.
    private let room = DispatchSemaphore(value: 0)
    /// Counts the elements that are not taken yet.
    private let ready = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - count: The number of elements that are made ahead.
    ///   - make: Makes the next element, on the thread. Nil or an error ends the sequence.
    init(_ count: Int, _ make: @escaping @Sendable () throws -> Element?) {
        for _ in 0..<count { room.signal() }
        queue.async { [self] in
            var isAtEnd = false
            while !isAtEnd {
                room.wait()
                if state.withLock(\.isStopped) { return }
                let made = Result { try make() }
                isAtEnd = Self.isLast(made)
                state.withLock { $0.made.append(made) }
                ready.signal()
            }
        }
    }

    /// Waits for the next element; nil after the last one.
    func next() throws -> Element? {
        ready.wait()
        let (made, isLast) = state.withLock { state in
            // The end is kept for further calls.
            let isLast = Self.isLast(state.made[0])
            return (isLast ? state.made[0] : state.made.removeFirst(), isLast)
        }
        (isLast ? ready : room).signal()
        return try made.get()
    }

    /// Waits until the thread has ended: it makes no more elements than the one that it is at.
    func stop() {
        state.withLock { $0.isStopped = true }
        room.signal()
        queue.sync {}
    }

    private static func isLast(_ made: Made) -> Bool {
        if case .success(.some) = made { false } else { true }
    }
}
