/// Cuts CSV into its lines. A line may contain line ends within quotes.
struct CSVScanner: RecordScanner {
    private enum State {
        case fieldStart
        case plain
        case quoted
        /// After a quote within a quoted field. The quote is the end of the field, or the first of
        /// two.
        case quoteInQuoted
    }

    private(set) var recordStart = 0
    private(set) var recordLine = 1
    private var state = State.fieldStart
    private var line = 1
    /// Whether the byte before was a CR. An LF after it belongs to the same line end.
    private var followsReturn = false
    private let separator: UInt8
    private var hasSeparator = false
    /// Whether an empty line is a row. It is, if there is only one column. The value is nil until
    /// the first line was read.
    private var keepsEmptyLines: Bool?

    /// - Parameter columnCount: The number of columns; nil if the first line determines it.
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

/// Cuts a JSON array into its elements, so that a long array is never in memory as a whole. The
/// decoder parses the elements. A text that is a single object is one record.
struct JSONArrayScanner: RecordScanner {
    private enum State {
        /// In front of the first byte.
        case start
        /// After `[`: an element, or the end.
        case first
        /// After a comma: an element.
        case element
        /// In an element.
        case inside
        /// After an element.
        case between
        /// After the end.
        case end
    }

    private(set) var recordStart = 0
    private(set) var recordLine = 1
    private var state = State.start
    private var line = 1
    /// The index at which the line begins; below 0 if its start was dropped.
    private var lineStart = 0
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether the text is one value and not an array.
    private var isSingle = false

    mutating func scan(
        _ bytes: [UInt8], from start: Int, isLast: Bool, into entries: inout [RecordBlock.Entry]
    ) throws {
        for index in start..<bytes.count { try take(bytes[index], at: index, &entries) }
        if state != .inside { recordStart = bytes.count }
        guard isLast else { return }
        if state == .inside, isSingle, depth == 0, !isInString {
            finish(at: bytes.count, &entries)
            state = .end
        }
        switch state {
        case .end: break
        case .start:
            throw failure(bytes.count, "There is no JSON. Write an array of objects: [ … ].")
        case .first, .element, .inside, .between:
            throw failure(bytes.count, "The JSON ends within the array. Close it with ].")
        }
    }

    mutating func drop(_ count: Int) {
        recordStart -= count
        lineStart -= count
    }

    private mutating func take(
        _ byte: UInt8, at index: Int, _ entries: inout [RecordBlock.Entry]
    ) throws {
        if state == .inside { return takeInside(byte, at: index, &entries) }
        switch byte {
        case ASCII.lineFeed:
            line += 1
            lineStart = index + 1
        case ASCII.space, ASCII.tab, ASCII.carriageReturn:
            break
        case UInt8(ascii: "[") where state == .start:
            state = .first
        case UInt8(ascii: "]") where state == .first || state == .between:
            state = .end
        case ASCII.comma where state == .between:
            state = .element
        case UInt8(ascii: "]") where state == .element, ASCII.comma where state != .end:
            throw failure(index, "An object is missing here. Remove the comma.")
        default:
            switch state {
            case .start, .first, .element:
                isSingle = state == .start
                begin(byte, at: index)
            case .between:
                throw failure(index, "There should be a comma, or ] at the end of the array.")
            case .end:
                throw failure(index, "The JSON has ended. Remove what comes after it.")
            case .inside:
                break
            }
        }
    }

    private mutating func begin(_ byte: UInt8, at index: Int) {
        state = .inside
        recordStart = index
        recordLine = line
        depth = Self.isOpening(byte) ? 1 : 0
        isInString = byte == ASCII.quote
        isEscaped = false
    }

    private mutating func takeInside(
        _ byte: UInt8, at index: Int, _ entries: inout [RecordBlock.Entry]
    ) {
        if byte == ASCII.lineFeed {
            line += 1
            lineStart = index + 1
        }
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == ASCII.backslash {
                isEscaped = true
            } else if byte == ASCII.quote {
                isInString = false
                if depth == 0 { finish(at: index + 1, &entries) }
            }
            return
        }
        if byte == ASCII.quote {
            isInString = true
        } else if Self.isOpening(byte) {
            depth += 1
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            if depth == 0 {
                // A bare value is the last one of the array.
                finish(at: index, &entries)
                if !isSingle { state = .end }
            } else {
                depth -= 1
                if depth == 0 { finish(at: index + 1, &entries) }
            }
        } else if depth == 0, byte == ASCII.comma || byte <= ASCII.space {
            finish(at: index, &entries)
            if byte == ASCII.comma, !isSingle { state = .element }
        }
    }

    private mutating func finish(at end: Int, _ entries: inout [RecordBlock.Entry]) {
        entries.append(.init(range: recordStart..<end, line: recordLine))
        state = isSingle ? .end : .between
        recordStart = end
    }

    private static func isOpening(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    }

    private func failure(_ index: Int, _ message: String) -> InputError {
        InputError(line: line, column: max(1, index - lineStart + 1), message: message)
    }
}

/// Cuts JSON Lines: a record in each line. Lines with only white space are ignored.
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
