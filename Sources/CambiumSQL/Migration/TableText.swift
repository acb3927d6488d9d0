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

    /// The CHECKs of a column or constraint: the name and the condition of each.
    static func checks(in part: String) -> [(name: String, condition: String)] {
        var checks: [(name: String, condition: String)] = []
        var rest = part[...]
        while let first = rest.first {
            if first == "'" || first == "\"" {
                rest = rest[(end(of: first, in: rest.dropFirst()) ?? rest.endIndex)...]
                continue
            }
            let (word, mark) = ("CONSTRAINT \"", " CHECK (")
            guard rest.hasPrefix(word) else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(word.count)
            guard let end = end(of: "\"", in: rest) else { break }
            let name = rest[..<rest.index(before: end)]
            rest = rest[end...]
            guard rest.hasPrefix(mark) else { continue }
            rest = rest.dropFirst(mark.count)
            guard let end = closing(in: rest) else { break }
            checks.append((unquoted(name), String(rest[..<end])))
            rest = rest[end...]
        }
        return checks
    }

    /// The names in quotes that a condition mentions: columns.
    static func names(in condition: String) -> [String] {
        var names: [String] = []
        var rest = condition[...]
        while let first = rest.first {
            rest = rest.dropFirst()
            guard first == "'" || first == "\"" else { continue }
            let end = end(of: first, in: rest) ?? rest.endIndex
            if first == "\"", end > rest.startIndex {
                names.append(unquoted(rest[..<rest.index(before: end)]))
            }
            rest = rest[end...]
        }
        return names
    }

    /// What comes after the quote that ends a name or a text whose opening quote has been read.
    private static func end(of quote: Character, in text: Substring) -> String.Index? {
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            if text[index] == quote {
                guard next < text.endIndex, text[next] == quote else { return next }
                index = text.index(after: next)
            } else {
                index = next
            }
        }
        return nil
    }

    private static func unquoted(_ name: Substring) -> String {
        var text = ""
        var isSecond = false
        for character in name {
            isSecond = character == "\"" && !isSecond
            if !isSecond { text.append(character) }
        }
        return text
    }

    /// Where the parenthesis closes whose inside a text begins with.
    private static func closing(in text: Substring) -> String.Index? {
        var depth = 1
        var quote: Character?
        for index in text.indices {
            let character = text[index]
            if let mark = quote {
                if character == mark { quote = nil }
                continue
            }
            switch character {
            case "\"", "'": quote = character
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            if depth == 0 { return index }
        }
        return nil
    }
}
