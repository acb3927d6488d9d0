import CambiumModel
import Foundation

/// The bytes of a file, with its lines and columns.
package final class SourceText: Sendable {
    /// The path as diagnostics print it.
    package let path: String
    /// The UTF-8 text without a byte order mark. Every offset of this stage counts these bytes.
    package let bytes: [UInt8]
    private let lineStarts: [Int]
    /// Another file appended to this one, and the start of its bytes.
    private let continuation: [(start: Int, file: SourceText)]

    /// Holds a file's content.
    package init(path: String, bytes: [UInt8]) {
        self.path = path
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        var starts = [0]
        for (offset, byte) in self.bytes.enumerated() where byte == UInt8(ascii: "\n") {
            starts.append(offset + 1)
        }
        lineStarts = starts
        continuation = []
    }

    private init(_ first: SourceText, followedBy second: SourceText) {
        path = first.path
        // The line end separates the end of one text from the start of the other.
        bytes = first.bytes + [UInt8(ascii: "\n")] + second.bytes
        lineStarts = first.lineStarts
        continuation = [(first.bytes.count + 1, second)]
    }

    /// The text with that of another file after it, for elements of that file that become part of
    /// this one: each place stays that in its own file.
    func followed(by other: SourceText) -> SourceText {
        SourceText(self, followedBy: other)
    }

    /// Whether a byte is that of the file that was put after this one.
    func isOfOtherFile(_ offset: Int) -> Bool {
        continuation.contains { offset >= $0.start }
    }

    /// The place of a byte.
    package func position(at offset: Int) -> SourcePosition {
        if let (start, file) = continuation.first, offset >= start {
            return file.position(at: offset - start)
        }
        let offset = min(max(offset, 0), bytes.count)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let before = bytes[lineStarts[low]..<offset]
        return SourcePosition(
            path: path, line: low + 1, column: before.count(where: UTF8.startsScalar) + 1)
    }

    /// The offset of a place that another parser reported; one beyond its line is moved to the
    /// line's end.
    func offset(line: Int, column: Int) -> Int {
        guard line >= 1, line <= lineStarts.count else { return bytes.count }
        let end = line < lineStarts.count ? lineStarts[line] - 1 : bytes.count
        var offset = lineStarts[line - 1]
        var remaining = max(column - 1, 0)
        while offset < end {
            if UTF8.startsScalar(bytes[offset]) {
                if remaining == 0 { break }
                remaining -= 1
            }
            offset += 1
        }
        return offset
    }

    /// The text of a range of bytes.
    package func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}

extension UTF8 {
    /// Whether a byte is the first of a scalar.
    static func startsScalar(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}

/// Expressions as their author wrote them.
package enum ExpressionText {
    /// An expression with single spaces instead of its white space, except in quotes.
    package static func onOneLine(_ text: String) -> String {
        var line = ""
        var quote: Unicode.Scalar?
        var isEscaped = false
        var hasSpace = false
        for scalar in text.unicodeScalars {
            if quote == nil, [" ", "\t", "\n", "\r"].contains(scalar) {
                hasSpace = true
                continue
            }
            if hasSpace, !line.isEmpty { line += " " }
            hasSpace = false
            line.unicodeScalars.append(scalar)
            if isEscaped {
                isEscaped = false
            } else if quote != nil, scalar == "\\" {
                isEscaped = true
            } else if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "'" || scalar == "\"" {
                quote = scalar
            }
        }
        return line
    }
}

/// Text as XML.
package enum XMLText {
    /// An attribute's value between its quotes.
    package static func attribute(_ text: String) -> String {
        text.escaping { scalar in
            switch scalar {
            case "\"": "&quot;"
            case "\n": "&#10;"
            case "\t": "&#9;"
            default: escape(scalar)
            }
        }
    }

    /// Text in a comment. Two hyphens in a row would end the comment.
    package static func comment(_ text: String) -> String {
        text.replacing("--", with: "- -").replacing("--", with: "- -")
    }

    /// Text between tags.
    package static func content(_ text: String) -> String {
        text.escaping(escape)
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\r": "&#13;"
        default: nil
        }
    }
}

extension ParsedElement {
    /// The element on one line, without comments and a file's additions.
    package var compactXML: String {
        let list = orderedAttributes.map { " \($0.name)=\"\(XMLText.attribute($0.value))\"" }
            .joined()
        let content =
            children.map { $0.compactXML }.joined() + XMLText.content(text.trimmed.value)
        return content.isEmpty ? "<\(name)\(list)/>" : "<\(name)\(list)>\(content)</\(name)>"
    }
}

/// Parses dates in a model.
enum DateText {
    /// A day, or a second of one in UTC.
    static func date(_ text: String) -> Date? {
        guard text.utf8.count == 10 || text.utf8.count == 20,
            let date = ISO8601Text.date(of: text), let whole = ISO8601Text.text(of: date)
        else { return nil }
        // Only the usual form of ISO 8601 is accepted.
        return text == whole || text + "T00:00:00Z" == whole ? date : nil
    }
}
