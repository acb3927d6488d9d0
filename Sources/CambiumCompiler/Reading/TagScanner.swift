/// Finds the position of every tag, attribute and text of an XML file, and enforces the limits
/// before libxml2 reads the file.
///
/// Only libxml2 decides whether XML is well-formed, and decodes values. It reports lines, but
/// neither columns nor the positions of attributes. This scanner reads the same bytes once and
/// records the positions. If it cannot parse further, it stops; the file has an error in that case
/// anyway.
package struct TagScanner {
    /// The result of a scan.
    package enum End {
        /// At the end of the file.
        case complete
        /// At an invalid byte. libxml2 writes the message.
        case malformed(at: Int)
        /// At something that is legal XML and refused here.
        case refused(DiagnosticCode, String, at: Int)
    }

    private let bytes: [UInt8]
    private var index = 0
    private var open: [Int] = []
    /// The elements in the order of their start tags.
    package private(set) var elements: [ScannedElement] = []
    /// The comments in order.
    package private(set) var comments: [ScannedComment] = []

    /// Prepares to scan a file.
    package init(_ source: SourceText) {
        bytes = source.bytes
    }

    /// Scans the file.
    package mutating func scan() -> End {
        while index < bytes.count {
            if let end = scanNext() { return end }
        }
        return open.isEmpty && !elements.isEmpty ? .complete : .malformed(at: bytes.count)
    }

    private mutating func scanNext() -> End? {
        let start = index
        if bytes[start] != UInt8(ascii: "<") {
            index = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            return keepText(start..<index, isVerbatim: false)
        }
        if starts(with: "<!--") {
            if let end = skip(past: "-->", from: start + 4) { return end }
            comments.append(
                ScannedComment(range: start..<index, parent: open.last, next: elements.count))
            return nil
        }
        if starts(with: "<![CDATA[") {
            if let end = skip(past: "]]>", from: start + 9) { return end }
            return keepText((start + 9)..<(index - 3), isVerbatim: true)
        }
        if starts(with: "<!") {
            guard starts(with: "<!DOCTYPE") else { return .malformed(at: start) }
            return .refused(.documentType, "A document type is not allowed in a model", at: start)
        }
        if starts(with: "<?") {
            return start == 0 && starts(with: "<?xml ") ? scanDeclaration() : refuseInstruction()
        }
        return starts(with: "</") ? scanEndTag() : scanStartTag()
    }

    // MARK: Tags

    private mutating func scanStartTag() -> End? {
        let start = index
        index += 1
        guard let name = scanName() else { return .malformed(at: index) }
        var element = ScannedElement(name: name, attributes: [])
        if let end = checkName(name) { return end }
        while true {
            let hasSpace = skipSpace()
            guard index < bytes.count else { return .malformed(at: index) }
            if bytes[index] == UInt8(ascii: ">") || starts(with: "/>") { break }
            guard hasSpace, let attribute = scanAttribute() else { return .malformed(at: index) }
            element.attributes.append(attribute)
            if let end = checkAttribute(attribute, of: element) { return end }
        }
        let isEmpty = bytes[index] == UInt8(ascii: "/")
        index += isEmpty ? 2 : 1
        element.end = index
        elements.append(element)
        if elements.count > ReadingLimits.elements {
            return limit("more than \(ReadingLimits.elements) elements", at: start)
        }
        if open.count + 1 > ReadingLimits.depth {
            return limit("elements nested more than \(ReadingLimits.depth) deep", at: start)
        }
        if !isEmpty { open.append(elements.count - 1) }
        return nil
    }

    private mutating func scanAttribute() -> ScannedAttribute? {
        guard let name = scanName() else { return nil }
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { return nil }
        index += 1
        skipSpace()
        guard index < bytes.count else { return nil }
        let quote = bytes[index]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        let start = index + 1
        guard
            let end = bytes[start...].firstIndex(where: { $0 == quote || $0 == UInt8(ascii: "<") }),
            bytes[end] == quote
        else { return nil }
        index = end + 1
        return ScannedAttribute(name: name, value: start..<end)
    }

    private mutating func scanEndTag() -> End? {
        let start = index
        index += 2
        guard let name = scanName(), let last = open.popLast(),
            bytes[name] == bytes[elements[last].name]
        else { return .malformed(at: start) }
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: ">") else {
            return .malformed(at: index)
        }
        index += 1
        elements[last].end = index
        return nil
    }

    private mutating func scanName() -> Range<Int>? {
        let start = index
        while index < bytes.count, !Self.endsName(bytes[index]) { index += 1 }
        return start < index ? start..<index : nil
    }

    // MARK: Text, comments and instructions

    private mutating func scanDeclaration() -> End? {
        let start = index
        if let end = skip(past: "?>", from: start) { return end }
        let text = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        guard let encoding = text.firstRange(of: "encoding") else { return nil }
        let name = text[encoding.upperBound...]
            .drop { $0 != "\"" && $0 != "'" }.dropFirst().prefix { $0 != "\"" && $0 != "'" }
        guard name != "utf-8" else { return nil }
        return .refused(
            .notUTF8, "A model is written in UTF-8",
            at: start + text[..<encoding.lowerBound].utf8.count)
    }

    private func refuseInstruction() -> End {
        .refused(
            .processingInstruction, "A processing instruction is not allowed in a model", at: index)
    }

    private mutating func keepText(_ range: Range<Int>, isVerbatim: Bool) -> End? {
        if range.count > ReadingLimits.valueSize {
            return limit(
                "a text longer than \(ReadingLimits.valueSize) bytes", at: range.lowerBound)
        }
        if let element = open.last {
            elements[element].text.append(ScannedText(range: range, isVerbatim: isVerbatim))
        }
        return nil
    }

    // MARK: Bytes

    private func starts(with text: StaticString) -> Bool {
        // Safety: the pointer is a static string's own storage and is not kept.
        let prefix = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return bytes[index...].starts(with: prefix)
    }

    private mutating func skip(past mark: StaticString, from start: Int) -> End? {
        let tag = index
        index = start
        while index < bytes.count, !starts(with: mark) { index += 1 }
        guard index < bytes.count else {
            index = tag
            return .malformed(at: tag)
        }
        index += mark.utf8CodeUnitCount
        return nil
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = index
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
        return index > start
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "="), UInt8(ascii: "/"), UInt8(ascii: ">"),
            UInt8(ascii: "<"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "&"):
            true
        default: false
        }
    }

    // MARK: Limits

    private func limit(_ what: String, at offset: Int) -> End {
        .refused(.limitExceeded, "A model file may not have \(what)", at: offset)
    }

    private func checkName(_ name: Range<Int>) -> End? {
        guard name.count > ReadingLimits.nameSize else { return nil }
        return limit("a name longer than \(ReadingLimits.nameSize) bytes", at: name.lowerBound)
    }

    private func checkAttribute(_ attribute: ScannedAttribute, of element: ScannedElement) -> End? {
        let start = attribute.name.lowerBound
        if element.attributes.count > ReadingLimits.attributes {
            return limit(
                "more than \(ReadingLimits.attributes) attributes in an element", at: start)
        }
        if attribute.value.count > ReadingLimits.valueSize {
            return limit("a value longer than \(ReadingLimits.valueSize) bytes", at: start)
        }
        return checkName(attribute.name)
    }
}

/// The position of an element.
package struct ScannedElement {
    package let name: Range<Int>
    package var attributes: [ScannedAttribute]
    var text: [ScannedText] = []
    /// The end of its last tag.
    package var end = 0
}

/// The position of a comment.
package struct ScannedComment {
    let range: Range<Int>
    /// The number of the element that it is in.
    let parent: Int?
    /// The number of the first element that starts after it.
    let next: Int
}

/// The position of an attribute; the value excludes the quotes.
package struct ScannedAttribute {
    package let name: Range<Int>
    package let value: Range<Int>
}

/// A piece of text between tags.
package struct ScannedText: Sendable {
    /// The bytes of the text in the source.
    package let range: Range<Int>
    /// Whether the text is in a CDATA section, in which `&` is an ordinary character.
    package let isVerbatim: Bool
}
