import Foundation
import Testing

@testable import CambiumCompiler

struct PositionTests {
    /// Line and column of the place that `find` names in the element that a text is read as.
    private func place(
        in text: String, of find: (ParsedElement, SourceText) -> Int?
    ) throws -> [Int] {
        let source = SourceText(path: "model.xml", bytes: Array(text.utf8))
        let offset = try #require(find(try XMLReader.read(source), source))
        let position = source.position(at: offset)
        return [position.line, position.column]
    }

    @Test func `an element is where its bracket is`() throws {
        let text = "<a>\n  <b/>\n\t<c/></a>"
        #expect(try place(in: text) { root, _ in root.children[0].offset } == [2, 3])
        #expect(try place(in: text) { root, _ in root.children[1].offset } == [3, 2])
    }

    @Test func `an attribute is where its name is and its value after the quote`() throws {
        let text = "<a\n  first = '1'\n  second=\"2\"/>"
        #expect(try place(in: text) { root, _ in root["first"]?.offset } == [2, 3])
        #expect(try place(in: text) { root, _ in root["first"]?.valueOffset } == [2, 12])
        #expect(try place(in: text) { root, _ in root["second"]?.valueOffset } == [3, 11])
    }

    @Test func `columns count characters, not bytes`() throws {
        let text = "<a x='äöü😀' y='2'/>"
        #expect(try place(in: text) { root, _ in root["y"]?.offset } == [1, 13])
    }

    @Test func `a byte order mark takes no column`() throws {
        #expect(try place(in: "\u{FEFF}<a x='1'/>") { root, _ in root["x"]?.offset } == [1, 4])
    }

    @Test func `a place in a value is behind the references before it`() throws {
        let text = "<a x='p &lt; q &amp;&#x1F600; wrong'/>"
        #expect(
            try place(in: text) { root, source in
                guard let value = root["x"]?.text, let range = value.value.range(of: "wrong")
                else { return nil }
                let offset = value.value.utf8.distance(
                    from: value.value.startIndex, to: range.lowerBound)
                return value.sourceOffset(of: offset, in: source)
            } == [1, 31])
    }

    @Test(arguments: [
        "<a>x &gt; wrong</a>", "<a>x <!-- wro --> &gt;\n wrong</a>", "<a><b/>x > <b/> wrong</a>",
        "<a><![CDATA[x &gt; ]]>wrong</a>", "<a>x\r\n\r\n&gt;\r\n wrong</a>",
    ])
    func `a place in text is found behind whatever comes before it`(text: String) throws {
        let source = SourceText(path: "model.xml", bytes: Array(text.utf8))
        let value = try XMLReader.read(source).text
        let range = try #require(value.value.range(of: "wrong"))
        let offset = value.value.utf8.distance(from: value.value.startIndex, to: range.lowerBound)
        let expected = try #require(text.range(of: "wrong"))
        #expect(
            value.sourceOffset(of: offset, in: source)
                == text.utf8.distance(from: text.startIndex, to: expected.lowerBound))
    }

    @Test func `what is not well-formed is reported where it is`() {
        let mismatch = read("<a>\n  <b>\n  </c>\n</a>").diagnostic
        #expect(mismatch?.position.line == 3)
        let missing = read("<a>\n  <b x=1/>\n</a>").diagnostic
        #expect(missing?.position.line == 2)
        #expect(missing?.code == .malformed)
    }
}
