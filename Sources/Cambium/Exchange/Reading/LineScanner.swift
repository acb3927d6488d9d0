/// Cuts JSON Lines: a record in each line. Lines with nothing but white space are none.
struct LineScanner: RecordScanner {
    private(set) var recordStart = 0
    private(set) var recordLine = 1
    /// Whether the line has had anything but white space.
    private var hasContent = false

    mutating func scan(
        _ bytes: [UInt8], from start: Int, isLast: Bool, into entries: inout [RecordBlock.Entry]
    ) throws {
        for index in start..<bytes.count {
            switch bytes[index] {
            case ASCII.lineFeed: endLine(at: index, next: index + 1, &entries)
            case ASCII.space, ASCII.tab, ASCII.carriageReturn: break
            default: hasContent = true
            }
        }
        if isLast { endLine(at: bytes.count, next: bytes.count, &entries) }
    }

    mutating func drop(_ count: Int) {
        recordStart -= count
    }

    private mutating func endLine(
        at end: Int, next: Int, _ entries: inout [RecordBlock.Entry]
    ) {
        if hasContent { entries.append(.init(range: recordStart..<end, line: recordLine)) }
        recordStart = next
        recordLine += 1
        hasContent = false
    }
}
