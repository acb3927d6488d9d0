/// Writes JSON.
package struct JSONWriter {
    /// The text written so far, in UTF-8.
    package private(set) var text: [UInt8]

    /// Continues an existing text.
    package init(text: [UInt8] = []) {
        self.text = text
    }

    /// Writes a text that is already JSON.
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

/// The ASCII characters of text formats. They are inlinable, because scanners compare each byte of
/// a file with them.
package enum ASCII {
    package static var tab: UInt8 { UInt8(ascii: "\t") }
    package static var lineFeed: UInt8 { UInt8(ascii: "\n") }
    package static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
    package static var space: UInt8 { UInt8(ascii: " ") }
    package static var quote: UInt8 { UInt8(ascii: "\"") }
    package static var backslash: UInt8 { UInt8(ascii: "\\") }
    package static var comma: UInt8 { UInt8(ascii: ",") }
}

extension String {
    /// Returns the text with scalars replaced by other text. Scalars without a replacement stay.
    package func escaping(_ escape: (Unicode.Scalar) -> String?) -> String {
        var text = ""
        for scalar in unicodeScalars {
            if let escaped = escape(scalar) {
                text += escaped
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is invisible, ends a line, or changes the direction of writing.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            true
        default: false
        }
    }
}
