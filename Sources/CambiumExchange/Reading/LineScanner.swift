/// Cuts JSON Lines: a record in each line. Lines with nothing but white space are none.
struct LineScanner: RecordScanner {
    private(set) var recordStart = 0
    private(set) var recordLine = 1

    mutating func scan(
        _ bytes: [UInt8], from start: Int, isLast: Bool, into entries: inout [RecordBlock.Entry]
    ) throws {
        var position = start
        while let end = bytes[position...].firstIndex(of: ASCII.lineFeed) {
            endLine(at: end, of: bytes, &entries)
            position = end + 1
            recordStart = position
        }
        guard isLast else { return }
        endLine(at: bytes.count, of: bytes, &entries)
        recordStart = bytes.count
    }

    mutating func drop(_ count: Int) {
        recordStart -= count
    }

    private mutating func endLine(
        at end: Int, of bytes: [UInt8], _ entries: inout [RecordBlock.Entry]
    ) {
        let line = recordStart..<end
        if !bytes[line].allSatisfy(Self.isWhiteSpace) {
            entries.append(.init(range: line, line: recordLine))
        }
        recordLine += 1
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab || byte == ASCII.carriageReturn
    }
}
