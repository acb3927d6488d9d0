/// Cuts CSV into its lines, which may hold line ends within quotes.
struct CSVScanner: RecordScanner {
    private enum State {
        case fieldStart
        case plain
        case quoted
        /// After a quote within a quoted field: its end, or the first of two.
        case quoteInQuoted
    }

    private(set) var recordStart = 0
    private(set) var recordLine = 1
    private var state = State.fieldStart
    private var line = 1
    /// Whether the byte before was a CR, which an LF belongs to.
    private var followsReturn = false
    private let separator: UInt8
    private var hasSeparator = false
    /// Whether an empty line is a row: where there is only one column, which is empty then. Nil
    /// until the first line has said so.
    private var keepsEmptyLines: Bool?

    /// - Parameter columnCount: How many columns there are; nil where the first line tells.
    init(separator: UInt8, columnCount: Int?) {
        self.separator = separator
        keepsEmptyLines = columnCount.map { $0 == 1 }
    }

    mutating func scan(
        _ bytes: [UInt8], from start: Int, isLast: Bool, into entries: inout [RecordBlock.Entry]
    ) throws {
        for index in start..<bytes.count { take(bytes[index], at: index, &entries) }
        if isLast, recordStart < bytes.count { finish(at: bytes.count, &entries) }
    }

    mutating func drop(_ count: Int) {
        recordStart -= count
    }

    @inline(__always)
    private mutating func take(
        _ byte: UInt8, at index: Int, _ entries: inout [RecordBlock.Entry]
    ) {
        let endsReturn = followsReturn
        followsReturn = false
        switch byte {
        case ASCII.lineFeed, ASCII.carriageReturn:
            if byte == ASCII.lineFeed, endsReturn {
                // The second half of a line end.
                if state != .quoted { recordStart = index + 1 }
                return
            }
            line += 1
            followsReturn = byte == ASCII.carriageReturn
            if state == .quoted { return }
            finish(at: index, &entries)
            recordStart = index + 1
            recordLine = line
            state = .fieldStart
        case ASCII.quote:
            switch state {
            case .fieldStart, .quoteInQuoted: state = .quoted
            case .quoted: state = .quoteInQuoted
            case .plain: break
            }
        case separator where state != .quoted:
            state = .fieldStart
            hasSeparator = true
        default:
            if state != .quoted { state = .plain }
        }
    }

    private mutating func finish(at end: Int, _ entries: inout [RecordBlock.Entry]) {
        if end > recordStart || keepsEmptyLines == true {
            entries.append(.init(range: recordStart..<end, line: recordLine))
            if keepsEmptyLines == nil { keepsEmptyLines = !hasSeparator }
        }
        recordStart = end
    }
}
