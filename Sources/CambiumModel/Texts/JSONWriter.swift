/// Puts JSON together.
package struct JSONWriter {
    /// What was written, in UTF-8.
    package private(set) var text: [UInt8]

    /// Goes on after a text.
    package init(text: [UInt8] = []) {
        self.text = text
    }

    /// Writes JSON as it is.
    package mutating func write(raw json: String) {
        text += json.utf8
    }

    /// Writes the name of a member.
    package mutating func writeName(_ name: String, isFirst: Bool) {
        if !isFirst { text.append(ASCII.comma) }
        write(name)
        text.append(UInt8(ascii: ":"))
    }

    /// Writes a text.
    package mutating func write(_ value: String) {
        text.append(ASCII.quote)
        for byte in value.utf8 {
            switch byte {
            case ASCII.quote, ASCII.backslash:
                text.append(ASCII.backslash)
                text.append(byte)
            case ASCII.lineFeed: text += "\\n".utf8
            case ASCII.carriageReturn: text += "\\r".utf8
            case ASCII.tab: text += "\\t".utf8
            case 0..<ASCII.space:
                text += "\\u00".utf8
                text.append(Self.digit(byte >> 4))
                text.append(Self.digit(byte & 15))
            default: text.append(byte)
            }
        }
        text.append(ASCII.quote)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
