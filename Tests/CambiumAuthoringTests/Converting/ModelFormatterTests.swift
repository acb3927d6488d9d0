import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

struct ModelFormatterTests {
    private func format(_ text: String) throws -> String {
        try ModelFormatter.format(SourceText(path: "1.xml", bytes: Array(text.utf8)))
    }

    @Test(arguments: OwnConversionTests.models)
    func `a formatted model says the same and stays as it is`(path: String) throws {
        for model in BundleReader.read(path).bundle.versions {
            let text = try ModelFormatter.format(model.source)
            let source = SourceText(path: model.source.path, bytes: Array(text.utf8))
            #expect(try ModelFormatter.format(source) == text)
            #expect(XMLTree(try XMLReader.read(source)) == XMLTree(model.root))
            #expect(
                comments(in: text) == comments(in: model.source.text(0..<model.source.bytes.count)))
        }
    }

    private func comments(in text: String) -> [String] {
        text.components(separatedBy: "<!--").dropFirst().map {
            $0.components(separatedBy: "-->")[0].split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
        }
    }

    @Test func `layout, order of attributes, comments and blank lines`() throws {
        let text = """
            <!-- before --><model version='1' name="Shop" xmlns="urn:cambium:model:1">


              <!-- about A,
                   in two lines -->
            <entity   name="A"> <!-- beside -->
                <attribute optional="true" type="string"  name="title" default="a &#x3C; &quot;"/> <!-- a title -->
                <attribute name="aVeryLongNameIndeed" type="string" minLength="1" maxLength="10" pattern="[A-Z]+" default="A"/>

                <rule name="r" message="m">title != nil<!-- in text --></rule><fetch name="f"><parameter name="p" type="string"/>
                   title == $p AND NOT title CONTAINS 'something that is really rather long'</fetch>
            <!-- last -->
            </entity><entity name="B"></entity>
            </model>
            <!-- after -->
            """
        let expected = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- before -->
            <model xmlns="urn:cambium:model:1" name="Shop" version="1">

              <!-- about A,
                   in two lines -->
              <entity name="A"> <!-- beside -->
                <attribute name="title" type="string" optional="true" default="a &lt; &quot;"/> <!-- a title -->
                <attribute name="aVeryLongNameIndeed" type="string" default="A" minLength="1" maxLength="10"
                           pattern="[A-Z]+"/>

                <rule name="r" message="m">
                  title != nil <!-- in text -->
                </rule>
                <fetch name="f">
                  <parameter name="p" type="string"/>
                  title == $p AND NOT title CONTAINS 'something that is really rather long'
                </fetch>
                <!-- last -->
              </entity>
              <entity name="B"/>
            </model>
            <!-- after -->

            """
        #expect(try format(text) == expected)
        #expect(try format(expected) == expected)
    }

    @Test func `what is of another namespace stays as it is written`() throws {
        let note = """
            <n:note   b="1" a='2'>Read <n:b>this</n:b>, <n:i>then</n:i>
               that<!-- or not -->.
                  </n:note>
            """
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model xmlns="urn:cambium:model:1" xmlns:n="urn:n" name="Shop" version="1">
              \(note)
              <entity name="A">
                <rule name="r" message="m">a <n:mark/> != nil</rule>
                <attribute name="a" type="string"/>
              </entity>
            </model>

            """
        #expect(try format(text) == text)
        let indented = text.replacingOccurrences(of: "  <n:note", with: "<n:note")
        #expect(try format(indented) == text)
    }

    @Test func `lines end with a line feed, in comments too`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model xmlns="urn:cambium:model:1" xmlns:n="urn:n" name="Shop" version="1">

              <!-- about A,
                   in two lines -->
              <entity name="A"> <!-- beside -->
                <n:note>one
            two</n:note>

                <rule name="r" message="m">
                  a != nil
                </rule> <!-- of r -->
              </entity>
            </model>

            """
        let formatted = try format(text)
        #expect(formatted.contains("\n\n    <rule"))
        for lineEnd in ["\r\n", "\r"] {
            #expect(try format(text.replacingOccurrences(of: "\n", with: lineEnd)) == formatted)
        }
    }

    @Test(arguments: ["<model name=\"A\"/>", "<a/>", "<model xmlns=\"urn:cambium:model:1\">"])
    func `what is no model of ours is refused`(text: String) {
        #expect(throws: Diagnostic.self) { try format(text) }
    }
}
