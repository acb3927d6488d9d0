/// Reads a file in Debian's control format (deb822) stanza by stanza.
///
/// Stanzas are separated by empty lines. Lines that start with `#` are comments. A line that starts
/// with white space continues the field above it. The reader never stops at a malformed line: the
/// stanza contains the problem, and the next one is read as usual. The memory depends only on the
/// largest stanza, not on the file.
struct ControlReader<Source: ByteSource> {
    /// The number of lines read.
    private(set) var lineCount = 0

    private var source: Source
    private let kept: FieldNames
    private let limit: Int
    private var piece: [UInt8] = []
    private var position = 0
    private var line: [UInt8] = []
    private var isLineTooLong = false
    private var stanza = StanzaBuilder()

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - keeping: The names, in lower case, of the fields to keep; nil keeps all.
    ///   - limit: The maximum number of bytes in one line and in one value.
    init(_ source: Source, keeping names: [String]? = nil, limit: Int = 1 << 20) {
        self.source = source
        self.limit = limit
        kept = FieldNames(names)
    }

    /// The next stanza, or nil at the end of the file.
    mutating func next() throws -> ControlStanza? {
        while try readLine() {
            lineCount += 1
            if isLineTooLong {
                stanza.refuseLine("it is longer than \(limit) bytes", at: lineCount)
            } else if let first = line.first {
                switch first {
                case UInt8(ascii: "#"):
                    break
                case UInt8(ascii: " "), UInt8(ascii: "\t"):
                    if line.allSatisfy(\.isBlank) {  // tolerated as a divider by the Policy
                        if let stanza = stanza.finish() { return stanza }
                    } else {
                        stanza.continueField(line, limit: limit, at: lineCount)
                    }
                default:
                    stanza.startField(line, keeping: kept, at: lineCount)
                }
            } else if let stanza = stanza.finish() {
                return stanza
            }
        }
        return stanza.finish()
    }

    /// Reads the next line into `line`, without its end; false at the end of the file.
    private mutating func readLine() throws -> Bool {
        line.removeAll(keepingCapacity: true)
        isLineTooLong = false
        var hasRead = false
        while true {
            if position == piece.count {
                piece = try source.next()
                position = 0
                if piece.isEmpty { break }
            }
            hasRead = true
            let end = piece[position...].firstIndex(of: UInt8(ascii: "\n"))
            if line.count + (end ?? piece.count) - position > limit {
                isLineTooLong = true
                line.removeAll(keepingCapacity: true)
            } else if !isLineTooLong {
                line.append(contentsOf: piece[position..<(end ?? piece.count)])
            }
            position = end.map { $0 + 1 } ?? piece.count
            if end != nil { break }
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return hasRead
    }
}

extension UInt8 {
    /// Whether it is a space, a tab or a carriage return.
    var isBlank: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
    }
}
