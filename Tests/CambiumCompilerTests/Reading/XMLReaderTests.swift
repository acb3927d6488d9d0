import Foundation
import Testing

@testable import CambiumCompiler

/// What reading a text gives.
func read(_ text: String) -> Result<ParsedElement, Diagnostic> {
    read(bytes: Array(text.utf8))
}

func read(bytes: [UInt8]) -> Result<ParsedElement, Diagnostic> {
    Result { () throws(Diagnostic) in
        try XMLReader.read(SourceText(path: "model.xml", bytes: bytes))
    }
}

extension Result where Failure == Diagnostic {
    var diagnostic: Diagnostic? {
        if case .failure(let diagnostic) = self { diagnostic } else { nil }
    }
}

struct XMLReaderTests {
    @Test func `elements, attributes and text are read`() throws {
        let root = try read(
            "<a x='1' y=\"&lt;2&gt;\"><b/>one<!-- no -->&amp;<![CDATA[<&lt;>]]></a>"
        )
        .get()
        #expect(root.name == "a")
        #expect(root.attributes.map(\.name) == ["x", "y"])
        #expect(root["y"]?.value == "<2>")
        #expect(root.children.map(\.name) == ["b"])
        #expect(root.text.value == "one&<&lt;>")
    }

    @Test func `references in values are replaced once`() throws {
        let root = try read("<a x='&amp;&#38;&amp;#38;&amp;lt;&quot;&apos;&#x41;'/>").get()
        #expect(root["x"]?.value == "&&&#38;&lt;\"'A")
    }

    @Test func `an XML declaration, a byte order mark and comments around are accepted`() throws {
        let text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- a --><a/><!-- b -->\n"
        #expect(try read(text).get().name == "a")
        #expect(try read("\u{FEFF}<?xml version='1.0'?><a/>").get().name == "a")
    }

    @Test func `unknown names are kept, for the checker to judge`() throws {
        let root = try read("<model xmlns='urn:x' colour='red'><wheel/></model>").get()
        #expect(root.namespace == "urn:x")
        #expect(root.attributes.map(\.name) == ["xmlns", "colour"])
        #expect(root.children.map(\.name) == ["wheel"])
    }

    @Test func `a prefix stays part of the name`() throws {
        let root = try read("<p:a xmlns:p='urn:p' p:x='1'/>").get()
        #expect(root.name == "p:a")
        #expect(root.attributes.map(\.name) == ["xmlns:p", "p:x"])
    }

    @Test func `every prefix of a good model is an error`() {
        let model = Array(goodModel.utf8)
        #expect(throws: Never.self) { try read(bytes: model).get() }
        let root = goodModel.range(of: "</model>")
        let end = root.map {
            goodModel.utf8.distance(from: goodModel.startIndex, to: $0.upperBound)
        }
        for length in 0..<(end ?? 0) {
            #expect(read(bytes: Array(model[..<length])).diagnostic != nil, "\(length) bytes")
        }
    }

    @Test func `a model without any one of its bytes is an error or another well-formed text`() {
        // No crash, and both readers of the bytes agree, or it is refused.
        let model = Array(goodModel.utf8)
        for offset in model.indices {
            var damaged = model
            damaged.remove(at: offset)
            if case .success(let root) = read(bytes: damaged) {
                #expect(root.name.hasPrefix("m"), "without byte \(offset)")
            }
        }
    }
}

let goodModel = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!-- Grüße -->
    <model xmlns="urn:cambium:model:1" name="Shop" version="1">
      <enum name="Kind"><case name="book"/><case name='toy' value="TÖY &#x1F600;"/></enum>
      <entity name="Product">
        <attribute name="stock" type="int32" default="0"/>
        <rule name="positive"><![CDATA[stock > 0]]> OR stock &lt; 7</rule>
      </entity>
    </model>

    """
