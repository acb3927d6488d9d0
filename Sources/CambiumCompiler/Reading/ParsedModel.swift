/// A model file as it was written: nothing is left out and nothing is judged.
package struct ParsedModel: Sendable {
    /// The file.
    package let source: SourceText
    /// The file's name without `.xml`.
    package let version: String
    /// The outermost element.
    package let root: ParsedElement

    /// Holds what was read.
    package init(source: SourceText, version: String, root: ParsedElement) {
        self.source = source
        self.version = version
        self.root = root
    }

    /// The place of a byte of the file.
    package func position(at offset: Int) -> SourcePosition { source.position(at: offset) }
}

/// An element with its place.
package struct ParsedElement: Sendable {
    /// The name, with its prefix where it has one.
    package let name: String
    /// The namespace, or nil.
    package let namespace: String?
    /// Where its `<` is.
    package let offset: Int
    /// Its attributes in order, declarations of namespaces included.
    package var attributes: [ParsedAttribute]
    /// The elements in it.
    package var children: [ParsedElement] = []
    /// The text directly in it.
    package var text = ParsedText()

    /// The attribute of that name.
    package subscript(name: String) -> ParsedAttribute? {
        attributes.first { $0.name == name }
    }

    /// The children of that name.
    package func children(named name: String) -> [ParsedElement] {
        children.filter { $0.name == name }
    }
}

/// An attribute with its place.
package struct ParsedAttribute: Sendable {
    /// The name, with its prefix where it has one.
    package let name: String
    /// Where the name starts.
    package let offset: Int
    /// The value, references replaced.
    package let text: ParsedText

    /// The value, references replaced.
    package var value: String { text.value }
}

/// Decoded text that remembers where each of its bytes was written.
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

    /// How many bytes one unit of source takes: a reference or CR LF is one, any byte is one.
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

    /// What `&name;` stands for.
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
