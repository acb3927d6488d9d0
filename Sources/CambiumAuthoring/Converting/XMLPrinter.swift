import CambiumCompiler

/// Writes Cambium's own XML: two spaces for each level, at most 100 columns if possible, and
/// attributes in the language's order.
///
/// It keeps every comment and single blank line of the original file. Elements of another namespace
/// are written verbatim: only their own language defines the meaning of white space, and of the
/// order of text and elements.
struct XMLPrinter {
    private static let width = 100

    /// The file that comments and blank lines are taken from.
    private let source: SourceText?
    private var lines: [String] = []

    /// A complete file. Without a source there are no comments, and a blank line separates the
    /// model's elements that have several lines.
    static func print(_ root: ParsedElement, source: SourceText? = nil) -> String {
        var printer = XMLPrinter(source: source)
        printer.lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        printer.add(comments: root.comments, .before, level: 0)
        printer.add(root.declaringNamespaces(), level: 0)
        printer.add(comments: root.comments, .after, level: 0)
        return printer.lines.joined(separator: "\n") + "\n"
    }

    // MARK: Elements

    private mutating func add(_ element: ParsedElement, level: Int) {
        let indent = String(repeating: " ", count: 2 * level)
        if let written = verbatim(element) {
            lines += (indent + written).split(separator: "\n", omittingEmptySubsequences: false)
                .map(String.init)
            return
        }
        let text = XMLText.content(element.text.trimmed.value)
        let hasComments =
            element.comments.contains { $0.placement == .atEnd }
            || element.children.contains { !$0.comments.isEmpty }
        if !hasComments, element.children.isEmpty || !text.isEmpty {
            let line = indent + element.compactXML
            if line.count <= Self.width, !line.contains("\n") || element.children.isEmpty {
                return lines.append(line)
            }
        }
        let isEmpty = element.children.isEmpty && text.isEmpty && !hasComments
        addStartTag(of: element, end: isEmpty ? "/>" : ">", indent: indent)
        guard !isEmpty else { return }
        let start = lines.count
        for (index, child) in element.children.enumerated() {
            addBlankLine(before: child, index, of: element, level: level)
            add(comments: child.comments, .before, level: level + 1)
            if !child.comments.isEmpty, hasBlankLine(before: child.offset) { addBlankLine() }
            if let remark = child.remark {
                lines.append(indent + "  <!-- \(XMLText.comment(remark)) -->")
            }
            add(child, level: level + 1)
        }
        if !text.isEmpty { lines.append(indent + "  " + text) }
        add(comments: element.comments, .atEnd, level: level + 1, isFirst: lines.count == start)
        lines.append("\(indent)</\(element.name)>")
    }

    /// The text of an element that is not laid out: an element of another namespace, or one of ours
    /// that has such elements mixed with text.
    private func verbatim(_ element: ParsedElement) -> String? {
        guard let source, let end = element.end else { return nil }
        let isAmongText =
            !element.text.isBlank && element.children.contains { $0.isOfOtherLanguage }
        guard element.isOfOtherLanguage || isAmongText else { return nil }
        return source.text(element.offset..<end)
    }

    private mutating func addStartTag(of element: ParsedElement, end: String, indent: String) {
        let start = indent + "<\(element.name)"
        let column = String(repeating: " ", count: start.count + 1)
        var line = start
        for attribute in element.orderedAttributes {
            let text = "\(attribute.name)=\"\(XMLText.attribute(attribute.value))\""
            if line.count + 1 + text.count + end.count > Self.width, line != start {
                lines.append(line)
                line = column + text
            } else {
                line += " " + text
            }
        }
        lines.append(line + end)
    }

    // MARK: Comments and blank lines

    private mutating func add(
        comments: [ParsedComment], _ placement: ParsedComment.Placement, level: Int,
        isFirst: Bool = false
    ) {
        guard let source else { return }
        for (index, comment) in comments.filter({ $0.placement == placement }).enumerated() {
            let start = comment.range.lowerBound
            let text = Self.lines(
                of: source.text(comment.range), from: column(of: start), to: 2 * level)
            if !startsLine(start), let last = lines.popLast() {
                lines.append(last + " " + text[0])
            } else {
                let isNext = index > 0 || !isFirst && placement != .before
                if isNext, hasBlankLine(before: start) { addBlankLine() }
                lines.append(String(repeating: " ", count: 2 * level) + text[0])
            }
            lines += text.dropFirst()
        }
    }

    /// The lines of a comment, moved as far as its first line is moved.
    private static func lines(of comment: String, from old: Int, to new: Int) -> [String] {
        comment.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
            index, line in
            let end = line.lastIndex { $0 != " " && $0 != "\t" }
            guard let end else { return "" }
            guard index > 0 else { return String(line[...end]) }
            let spaces = line.prefix { $0 == " " }.count
            let indent = String(repeating: " ", count: max(0, spaces + new - old))
            return indent + line[...end].dropFirst(spaces)
        }
    }

    private mutating func addBlankLine(
        before child: ParsedElement, _ index: Int, of parent: ParsedElement, level: Int
    ) {
        guard let source else {
            let isLong =
                !child.children.isEmpty || index > 0 && !parent.children[index - 1].children.isEmpty
            if level == 0, index == 0 || isLong { addBlankLine() }
            return
        }
        let comment = child.comments.first { $0.placement == .before }
        let start = min(comment?.range.lowerBound ?? child.offset, source.bytes.count)
        if hasBlankLine(before: start) { addBlankLine() }
    }

    private mutating func addBlankLine() {
        if lines.last != "" { lines.append("") }
    }

    /// The line ends between a place and the last sign before it.
    private func lineEnds(before offset: Int) -> Int {
        guard let source, offset <= source.bytes.count else { return 0 }
        return source.bytes[..<offset].reversed()
            .prefix { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
            .count { $0 == 0x0A }
    }

    private func startsLine(_ offset: Int) -> Bool { lineEnds(before: offset) > 0 || offset == 0 }

    private func hasBlankLine(before offset: Int) -> Bool { lineEnds(before: offset) > 1 }

    private func column(of offset: Int) -> Int {
        source.map { $0.position(at: offset).column - 1 } ?? 0
    }
}

extension ParsedElement {
    /// Whether the element is in neither Cambium's namespace nor the one for Xcode's attributes.
    fileprivate var isOfOtherLanguage: Bool {
        namespace != Vocabulary.namespace && namespace != XcodeNamespace.uri
    }

    /// With the declarations that its names need, on the outermost element.
    fileprivate func declaringNamespaces() -> ParsedElement {
        var element = self
        let declaration = XcodeNamespace.declaration
        if element[declaration] == nil, uses(XcodeNamespace.prefix) {
            element.attributes.append(
                ParsedAttribute(name: declaration, value: XcodeNamespace.uri, at: offset))
        }
        return element
    }

    private func uses(_ prefix: String) -> Bool {
        name.hasPrefix(prefix) || attributes.contains { $0.name.hasPrefix(prefix) }
            || children.contains { $0.uses(prefix) }
    }
}
