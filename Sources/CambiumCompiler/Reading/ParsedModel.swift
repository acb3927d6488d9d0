/// A model file in Cambium's own vocabulary, complete and unchecked.
///
/// Models of Xcode are translated; their positions are those of Xcode's file.
package struct ParsedModel: Sendable {
    /// The format of a file.
    package enum Format: Sendable {
        /// Cambium's own.
        case cambium
        /// Xcode's `contents`.
        case xcode
    }

    /// The file.
    package let source: SourceText
    /// The version's name: the file's, or in Xcode the folder's, without its extension.
    package let version: String
    /// The outermost element.
    package var root: ParsedElement
    /// The spelling of the file.
    package private(set) var format = Format.cambium

    /// Whether Core Data wrote the stores of this version. This is so for a version of Xcode, or
    /// for one that was converted from Xcode and declares the namespace of Xcode's attributes.
    package var isOfXcode: Bool {
        format == .xcode
            || root.attributes.contains {
                $0.name.hasPrefix("xmlns:") && $0.value == XcodeNamespace.uri
            }
    }

    /// The version's declarations about the step from the version before.
    var migration: ParsedElement? { root.children.first { $0.name == "migration" } }

    /// The place of a byte of the file.
    package func position(at offset: Int) -> SourcePosition { source.position(at: offset) }
}

/// An element with its position. It is a value type; copies share their contents until one of them
/// changes.
package struct ParsedElement: Sendable {
    /// The contents shared by copies.
    // Safety: only `own` allows changes, and only if no other element shares the contents.
    private final class Contents: @unchecked Sendable {
        let name: String
        let namespace: String?
        let offset: Int
        var attributes: [ParsedAttribute]
        var children: [ParsedElement]
        var text: ParsedText
        var comments: [ParsedComment]
        var end: Int?
        var remark: String?

        init(
            _ name: String, _ namespace: String?, _ offset: Int, _ attributes: [ParsedAttribute],
            _ children: [ParsedElement], _ text: ParsedText, _ comments: [ParsedComment],
            _ end: Int?, _ remark: String?
        ) {
            self.name = name
            self.namespace = namespace
            self.offset = offset
            self.attributes = attributes
            self.children = children
            self.text = text
            self.comments = comments
            self.end = end
            self.remark = remark
        }
    }

    private var contents: Contents

    /// Makes an element.
    @inline(never)
    package init(
        name: String, namespace: String?, offset: Int, attributes: [ParsedAttribute],
        children: [ParsedElement] = [], text: ParsedText = ParsedText(),
        comments: [ParsedComment] = [], end: Int? = nil, remark: String? = nil
    ) {
        contents = Contents(
            name, namespace, offset, attributes, children, text, comments, end, remark)
    }

    /// The contents, to be changed: no other element has them.
    private var own: Contents {
        mutating get {
            if !isKnownUniquelyReferenced(&contents) {
                contents = Contents(
                    name, namespace, offset, attributes, children, text, comments, end, remark)
            }
            return contents
        }
    }

    /// The name, with its prefix if it has one.
    package var name: String { contents.name }
    /// The namespace, or nil.
    package var namespace: String? { contents.namespace }
    /// The position of its `<`.
    package var offset: Int { contents.offset }
    /// The element's attributes in order, including declarations of namespaces.
    package var attributes: [ParsedAttribute] {
        get { contents.attributes }
        _modify { yield &own.attributes }
    }
    /// The elements in it.
    package var children: [ParsedElement] {
        get { contents.children }
        _modify { yield &own.children }
    }
    /// The text directly in it.
    package var text: ParsedText {
        get { contents.text }
        _modify { yield &own.text }
    }
    /// The comments before it, and the ones before its end.
    package var comments: [ParsedComment] {
        get { contents.comments }
        _modify { yield &own.comments }
    }
    /// The end of its last tag; nil for an element that was not read from a file.
    package var end: Int? {
        get { contents.end }
        _modify { yield &own.end }
    }
    /// A comment to be written before it, in addition to the comments of its file.
    package var remark: String? {
        get { contents.remark }
        _modify { yield &own.remark }
    }

    /// The attribute of that name.
    @inline(never)
    package subscript(name: String) -> ParsedAttribute? {
        attributes.first { $0.name == name }
    }

    /// The attributes in the order of Cambium's language.
    package var orderedAttributes: [ParsedAttribute] {
        Vocabulary.orders[name].map(attributes(in:)) ?? attributes
    }

    /// The attributes in an order of names. Others follow in their own order, the ones of other
    /// namespaces last.
    package func attributes(in order: [String]) -> [ParsedAttribute] {
        func rank(_ name: String) -> Int {
            if name.hasPrefix("xmlns") { return -1 }
            return order.firstIndex(of: name) ?? order.count + (name.contains(":") ? 1 : 0)
        }
        return attributes.enumerated().ordered { left, right in
            (rank(left.element.name), left.offset) < (rank(right.element.name), right.offset)
        }.map { $0.element }
    }

    /// Whether there is a comment before it, in it or after it.
    package var hasComments: Bool {
        !comments.isEmpty || children.contains { $0.hasComments }
    }

    /// The children of that name.
    package func children(named name: String) -> [ParsedElement] {
        children.filter { $0.name == name }
    }

    /// The child that declares something of that name.
    package func child(_ kind: String, named name: String) -> ParsedElement? {
        children.first { $0.name == kind && $0["name"]?.value == name }
    }
}

/// A comment with its place.
package struct ParsedComment: Sendable {
    /// The element to which a comment belongs.
    package enum Placement: Sendable {
        /// The element after it.
        case before
        /// The element that ends after it.
        case atEnd
        /// The root element, which has ended.
        case after
    }

    /// The range of the complete comment, from `<!--` to `-->`.
    package let range: Range<Int>
    /// The position relative to elements.
    package let placement: Placement
}

/// An attribute with its place.
package final class ParsedAttribute: Sendable {
    /// The name, with its prefix if it has one.
    package let name: String
    /// The start of the name.
    package let offset: Int
    /// The value, references replaced.
    package let text: ParsedText

    /// Makes an attribute.
    package init(name: String, offset: Int, text: ParsedText) {
        self.name = name
        self.offset = offset
        self.text = text
    }

    /// The value, references replaced.
    package var value: String { text.value }
}

/// Decoded text with the positions of its bytes in the source.
package struct ParsedText: Sendable {
    /// The text, references replaced and line ends normalised.
    package var value = ""
    /// The places in the source that it was put together from, in order.
    package var pieces: [ScannedText] = []

    /// The offset in the source of a byte of the decoded text.
    package func sourceOffset(of decodedOffset: Int, in source: SourceText) -> Int {
        var remaining = decodedOffset
        for piece in pieces {
            var raw = piece.range.lowerBound
            while raw < piece.range.upperBound {
                let (rawLength, length) = step(at: raw, of: piece, in: source.bytes)
                if remaining < length { return raw }
                remaining -= length
                raw += rawLength
            }
        }
        return pieces.last?.range.upperBound ?? 0
    }

    /// Without the white space around it.
    package var trimmed: ParsedText {
        let isSpace: (UInt8) -> Bool = { " \t\r\n".utf8.contains($0) }
        let start = value.utf8.prefix(while: isSpace).count
        guard start > 0 || value.utf8.last.map(isSpace) == true else { return self }
        let end = value.utf8.reversed().prefix(while: isSpace).count
        var text = ParsedText(value: "", pieces: pieces)
        guard start < value.utf8.count else { return text }
        text.value = String(decoding: value.utf8.dropFirst(start).dropLast(end), as: UTF8.self)
        // White space that was written as a reference takes more bytes; then places stay as they
        // were, a few columns before.
        if start > 0, let first = pieces.first, first.range.count >= start {
            text.pieces[0] = ScannedText(
                range: (first.range.lowerBound + start)..<first.range.upperBound,
                isVerbatim: first.isVerbatim)
        }
        return text
    }

    /// The number of bytes in one unit of the source. A reference, CR LF, or any other byte is one
    /// unit.
    private func step(
        at offset: Int, of piece: ScannedText, in bytes: [UInt8]
    ) -> (raw: Int, decoded: Int) {
        let end = piece.range.upperBound
        if bytes[offset] == UInt8(ascii: "\r"), offset + 1 < end,
            bytes[offset + 1] == UInt8(ascii: "\n")
        {
            return (2, 1)
        }
        guard bytes[offset] == UInt8(ascii: "&"), !piece.isVerbatim,
            let semicolon = bytes[offset..<end].firstIndex(of: UInt8(ascii: ";"))
        else { return (1, 1) }
        let name = String(decoding: bytes[(offset + 1)..<semicolon], as: UTF8.self)
        return (semicolon + 1 - offset, scalar(ofReference: name).map { UTF8.width($0) } ?? 1)
    }

    /// The character that `&name;` represents.
    private func scalar(ofReference name: String) -> Unicode.Scalar? {
        if name.hasPrefix("#x") {
            return UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        }
        if name.hasPrefix("#") {
            return UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
        }
        return ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"][name]
    }
}
