import CLibXML2
import CambiumModel

/// Reads XML into elements with places, by libxml2, hardened: no network, no document types, no
/// entities beyond the five, no encodings but UTF-8, limits on everything.
///
/// A reader never judges: unknown names are kept, and the checker reports them.
package enum XMLReader {
    /// The outermost element of a file.
    ///
    /// - Throws: the first finding; after it the rest of the file has no meaning.
    package static func read(_ source: SourceText) throws(Diagnostic) -> ParsedElement {
        try checkBytes(of: source)
        var scanner = TagScanner(source)
        let outcome = scanner.scan()
        if scanner.elements.isEmpty, isWithoutElement(source, scanner.comments) {
            throw Diagnostic(
                .malformed, "There is no <model> in this file", at: source.position(at: 0))
        }
        var length = source.bytes.count
        var refusal: Diagnostic?
        switch outcome {
        case .complete:
            break
        case .malformed(let offset):
            // libxml2 writes the message for the error. It reads no more of the file than was
            // checked against the limits.
            length = min(offset + 16, length)
            refusal = Diagnostic(
                .malformed, "This is not well-formed XML", at: source.position(at: offset))
        case .refused(let code, let message, let offset):
            throw Diagnostic(code, message, at: source.position(at: offset))
        }
        let builder = TreeBuilder(
            source: source, scanned: scanner.elements, comments: scanner.comments)
        let isWellFormed = parse(source.bytes[..<length], into: builder)
        if let diagnostic = builder.diagnostic ?? refusal { throw diagnostic }
        guard isWellFormed, let root = builder.root else {
            throw Diagnostic(
                .malformed, "This is not well-formed XML", at: source.position(at: length))
        }
        return root
    }

    /// Whether there is nothing but white space, comments and the XML declaration.
    private static func isWithoutElement(
        _ source: SourceText, _ comments: [ScannedComment]
    ) -> Bool {
        var start = 0
        var rest = ""
        for comment in comments {
            rest += source.text(start..<comment.range.lowerBound)
            start = comment.range.upperBound
        }
        rest += source.text(start..<source.bytes.count)
        if rest.hasPrefix("\u{FEFF}") { rest.removeFirst() }
        if rest.hasPrefix("<?xml "), let end = rest.firstRange(of: "?>") {
            rest = String(rest[end.upperBound...])
        }
        return rest.allSatisfy { $0.isWhitespace }
    }

    /// Rejects invalid UTF-8, and the control characters that XML does not permit.
    private static func checkBytes(of source: SourceText) throws(Diagnostic) {
        if source.bytes.count > ReadingLimits.fileSize {
            throw Diagnostic(
                .limitExceeded, "A model file may not have more than 4 MiB",
                at: source.position(at: 0))
        }
        // Most files are ASCII, and that is seen at once.
        if source.bytes.allSatisfy({ (0x20...0x7F).contains($0) || $0 == 0x0A }) { return }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = source.bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                if let byte = encoded.first, byte < 0x20, !"\t\n\r".utf8.contains(byte) {
                    throw Diagnostic(
                        .malformed, "The control character \(byte) is not allowed in XML",
                        at: source.position(at: offset))
                }
                offset += encoded.count
            case .error:
                throw Diagnostic(
                    .notUTF8, "This is not UTF-8",
                    at: source.position(at: offset), notes: ["Save the file in UTF-8"])
            case .emptyInput:
                return
            }
        }
    }

    /// Parses bytes with libxml2; the builder records its events.
    private static func parse(_ bytes: ArraySlice<UInt8>, into builder: TreeBuilder) -> Bool {
        _ = initialized
        var handler = makeHandler()
        // Safety: libxml2 returns this pointer to the callbacks. They run only inside xmlParseChunk
        // below, while `builder` is alive.
        let context = Unmanaged.passUnretained(builder).toOpaque()
        guard let parser = xmlCreatePushParserCtxt(&handler, context, nil, 0, nil) else {
            return false
        }
        defer { xmlFreeParserCtxt(parser) }
        builder.stop = { xmlStopParser(parser) }
        defer { builder.stop = {} }
        xmlCtxtUseOptions(parser, Int32(XML_PARSE_NONET.rawValue))
        let status = withExtendedLifetime(builder) {
            bytes.withUnsafeBytes { buffer in
                // Safety: libxml2 reads `count` bytes and keeps no pointer to them.
                xmlParseChunk(
                    parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(buffer.count), 1)
            }
        }
        return status == 0 && parser.pointee.wellFormed != 0 && parser.pointee.nsWellFormed != 0
    }

    /// libxml2 must be initialized once, before threads use it.
    private static let initialized: Void = xmlInitParser()

    private static func makeHandler() -> xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        // Safety, for all callbacks: `context` is the builder that `parse` passed, alive during the
        // call; names and values are null-terminated or delimited as libxml2 documents, and copied.
        handler.startElementNs = {
            context, name, prefix, uri, namespaceCount, namespaces, count, _, attributes in
            TreeBuilder.from(context)?.startElement(
                name: XMLReader.qualified(name, prefix), namespace: XMLReader.string(uri),
                declared: XMLReader.declarations(namespaces, count: Int(namespaceCount)),
                attributes: XMLReader.attributes(attributes, count: Int(count)))
        }
        handler.endElementNs = { context, _, _, _ in TreeBuilder.from(context)?.endElement() }
        handler.characters = { context, text, length in
            TreeBuilder.from(context)?.add(text: XMLReader.string(text, length: Int(length)))
        }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = handler.characters
        handler.getEntity = { _, name in xmlGetPredefinedEntity(name) }
        handler.serror = { context, error in
            guard let error = error?.pointee, error.level.rawValue >= XML_ERR_ERROR.rawValue else {
                return
            }
            TreeBuilder.from(context)?.fail(
                error.message.map { String(cString: $0) } ?? "This is not well-formed XML",
                line: Int(error.line), column: Int(error.int2))
        }
        return handler
    }

    // MARK: C values

    // Safety, for all of these: they are called only during a callback of libxml2, with its
    // arguments.

    private static func string(_ text: UnsafePointer<xmlChar>?) -> String? {
        text.map { String(cString: $0) }
    }

    private static func string(_ text: UnsafePointer<xmlChar>?, length: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: text, count: length), as: UTF8.self)
    }

    private static func qualified(
        _ name: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?
    ) -> String {
        let name = string(name) ?? ""
        return string(prefix).map { "\($0):\(name)" } ?? name
    }

    /// Pairs of prefix and URI.
    private static func declarations(
        _ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int
    ) -> [(String, String)] {
        guard let list else { return [] }
        return (0..<count).map { index in
            let prefix = string(list[2 * index])
            return (prefix.map { "xmlns:\($0)" } ?? "xmlns", string(list[2 * index + 1]) ?? "")
        }
    }

    /// Groups of five: name, prefix, URI, start and end of the value.
    private static func attributes(
        _ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int
    ) -> [(String, String)] {
        guard let list else { return [] }
        return (0..<count).map { index in
            let fields = list + 5 * index
            guard let start = fields[3], let end = fields[4] else {
                return (qualified(fields[0], fields[1]), "")
            }
            // Without the option to replace entities, which is never set here, libxml2 writes every
            // "&" in a value as "&#38;".
            let value = string(start, length: end - start)
            let isPlain = !value.utf8.contains(UInt8(ascii: "&"))
            return (
                qualified(fields[0], fields[1]),
                isPlain ? value : value.replacing("&#38;", with: "&")
            )
        }
    }
}

/// Combines libxml2's events with the scanner's positions.
final class TreeBuilder {
    private let source: SourceText
    private let scanned: [ScannedElement]
    private let comments: [ScannedComment]
    private var next = 0
    private var nextComment = 0
    private var open: [ParsedElement] = []
    /// The number of each open element.
    private var numbers: [Int] = []
    /// The outermost element, once it has ended.
    private(set) var root: ParsedElement?
    /// The first error.
    private(set) var diagnostic: Diagnostic?
    /// Ends the parser's work.
    var stop: () -> Void = {}

    init(source: SourceText, scanned: [ScannedElement], comments: [ScannedComment] = []) {
        self.source = source
        self.scanned = scanned
        self.comments = comments
    }

    /// The builder that a callback belongs to.
    static func from(_ context: UnsafeMutableRawPointer?) -> TreeBuilder? {
        // Safety: `XMLReader.parse` passes an unretained builder that outlives the callbacks.
        context.map { Unmanaged<TreeBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    func startElement(
        name: String, namespace: String?, declared: [(String, String)],
        attributes: [(String, String)]
    ) {
        guard diagnostic == nil else { return }
        guard next < scanned.count,
            name.utf8.elementsEqual(source.bytes[scanned[next].name])
        else {
            // The two readers of the same bytes disagree; neither is believed.
            fail("This is not well-formed XML", at: source.bytes.count)
            return
        }
        let places = scanned[next]
        next += 1
        // There are few, and but for namespaces they come in the order of the file.
        var values = declared + attributes
        let parsed: [ParsedAttribute] = places.attributes.compactMap { place in
            let written = source.bytes[place.name]
            guard let index = values.firstIndex(where: { $0.0.utf8.elementsEqual(written) }) else {
                return nil
            }
            let (name, value) = values.remove(at: index)
            let piece = ScannedText(range: place.value, isVerbatim: false)
            return ParsedAttribute(
                name: name, offset: place.name.lowerBound,
                text: ParsedText(value: value, pieces: [piece]))
        }
        guard values.isEmpty else {
            fail("This is not well-formed XML", at: places.name.lowerBound)
            return
        }
        var element = ParsedElement(
            name: name, namespace: namespace, offset: places.name.lowerBound - 1,
            attributes: parsed)
        element.text.pieces = places.text
        element.end = places.end
        element.comments = takeComments(.before) { $0.next < next }
        open.append(element)
        numbers.append(next - 1)
    }

    /// The comments after the last one taken that meet a condition.
    private func takeComments(
        _ placement: ParsedComment.Placement, where isMeant: (ScannedComment) -> Bool
    ) -> [ParsedComment] {
        var taken: [ParsedComment] = []
        while nextComment < comments.count, isMeant(comments[nextComment]) {
            taken.append(
                ParsedComment(range: comments[nextComment].range, placement: placement))
            nextComment += 1
        }
        return taken
    }

    func endElement() {
        guard diagnostic == nil, var element = open.popLast() else { return }
        let number = numbers.popLast()
        element.comments += takeComments(.atEnd) { $0.parent == number }
        if open.isEmpty {
            element.comments += takeComments(.after) { _ in true }
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    func add(text: String) {
        guard diagnostic == nil, !open.isEmpty else { return }
        open[open.count - 1].text.value += text
    }

    /// Keeps libxml2's first complaint.
    func fail(_ message: String, line: Int, column: Int) {
        let text = message.split(separator: "\n").first.map(String.init) ?? message
        // The usual cause, in a rule above all, and libxml2 does not name it.
        let isSign = text.contains("StartTag: invalid") || text.contains("Unescaped '<'")
        fail(
            "This is not well-formed XML: \(text)", at: source.offset(line: line, column: column),
            notes: isSign ? ["In a text, '<' is written &lt;"] : [])
    }

    private func fail(_ message: String, at offset: Int, notes: [String] = []) {
        if diagnostic == nil {
            diagnostic = Diagnostic(
                .malformed, message, at: source.position(at: offset), notes: notes)
        }
        stop()
    }
}

/// The limits of a model file. Some hundred real models have at most 96 KB, 932 elements, 5 levels,
/// 10 attributes and values of 43 bytes.
package enum ReadingLimits {
    /// Bytes of a file.
    package static let fileSize = 4 << 20
    /// Elements of a file.
    package static let elements = 200_000
    /// Levels of elements.
    package static let depth = 32
    /// Attributes of an element. libxml2 compares each with all others, so it must never see more.
    package static let attributes = 64
    /// Bytes of an attribute's value, or of text without an element in it.
    package static let valueSize = 64 << 10
    /// Bytes of a name.
    package static let nameSize = 255
}
