import CambiumCompiler

/// Formats model files of Cambium in the layout of the language's documentation.
package enum ModelFormatter {
    /// The file in the standard layout. Its meaning, every comment and everything of other
    /// namespaces stay the same. A formatted file does not change when it is formatted again. Lines
    /// end with a line feed.
    ///
    /// - Throws: The problem with the XML, or that the file is not a model of Cambium.
    package static func format(_ source: SourceText) throws(Diagnostic) -> String {
        let source = source.withLineFeeds
        let root = try XMLReader.read(source)
        guard root.name == "model", root.namespace == Vocabulary.namespace else {
            throw Diagnostic(
                .wrongRoot, "A model starts with <model xmlns=\"\(Vocabulary.namespace)\" …>",
                at: source.position(at: root.offset),
                notes: ["Only files of Cambium's own language can be formatted"])
        }
        return XMLPrinter.print(root, source: source)
    }
}

extension SourceText {
    /// The text with normalized line ends, as an XML parser reads them. Parts of it may then be
    /// written verbatim.
    fileprivate var withLineFeeds: SourceText {
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        guard bytes.contains(carriageReturn) else { return self }
        var normalized: [UInt8] = []
        normalized.reserveCapacity(bytes.count)
        var previous: UInt8?
        for byte in bytes {
            if byte == carriageReturn {
                normalized.append(lineFeed)
            } else if byte != lineFeed || previous != carriageReturn {
                normalized.append(byte)
            }
            previous = byte
        }
        return SourceText(path: path, bytes: normalized)
    }
}
