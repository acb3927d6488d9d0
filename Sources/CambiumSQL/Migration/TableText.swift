/// The parts of a CREATE TABLE statement: what stands before the parenthesis, the columns and
/// constraints within, and the options after it.
struct TableText {
    /// Up to the opening parenthesis, which is included.
    let head: String
    /// The columns and constraints in order, without the white space around them.
    let parts: [String]
    /// From the closing parenthesis.
    let tail: String

    /// Takes a statement apart; nil where it makes no table.
    init?(_ sql: String) {
        guard sql.hasPrefix("CREATE TABLE"), let open = sql.utf8.firstIndex(of: UInt8(ascii: "("))
        else { return nil }
        let bytes = sql.utf8
        head = String(sql[...open])
        var parts: [String] = []
        var start = bytes.index(after: open)
        var end: String.Index?
        var depth = 1
        var quote: UInt8?
        var index = start
        while index < bytes.endIndex, end == nil {
            let byte = bytes[index]
            if let mark = quote {
                if byte == mark { quote = nil }
            } else {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                case UInt8(ascii: "("): depth += 1
                case UInt8(ascii: ")"):
                    depth -= 1
                    if depth == 0 { end = index }
                case UInt8(ascii: ",") where depth == 1:
                    parts.append(Self.trimmed(sql[start..<index]))
                    start = bytes.index(after: index)
                default: break
                }
            }
            index = bytes.index(after: index)
        }
        guard let end else { return nil }
        parts.append(Self.trimmed(sql[start..<end]))
        self.parts = parts
        tail = String(sql[end...])
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let rest = text.utf8.drop(while: isSpace)
        let count = rest.reversed().prefix(while: isSpace).count
        return String(Substring(rest.dropLast(count)))
    }
}
