/// Puts libxml2's events and the scanner's places together.
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
    /// The first thing that went wrong.
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

    /// The comments from the last one taken on that are meant.
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
