import Foundation
import Testing

@testable import CambiumCompiler

struct HostileInputTests {
    @Test(arguments: [
        "<!DOCTYPE a><a/>",
        "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
        "<!DOCTYPE a SYSTEM 'http://127.0.0.1:9/x.dtd'><a/>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY % x SYSTEM 'http://127.0.0.1:9/'> %x;]><a/>",
        "<!DOCTYPE a [<!ENTITY x 'lol'><!ENTITY y '&x;&x;&x;&x;&x;&x;'>]><a>&y;</a>",
        "<?xml version='1.0'?>\n<!-- c --><!DOCTYPE a PUBLIC 'p' 's'><a/>",
    ])
    func `a document type is refused, whatever it says`(text: String) {
        #expect(read(text).diagnostic?.code == .documentType)
    }

    @Test(arguments: ["<a>&x;</a>", "<a b='&x;'/>", "<a>&nbsp;</a>", "<a>&</a>", "<a>&#0;</a>"])
    func `there are five entities and no others`(text: String) {
        #expect(read(text).diagnostic?.code == .malformed)
    }

    @Test(arguments: ["<?php x?><a/>", "<a><?x?></a>", "<a/><?x?>", " <?xml version='1.0'?><a/>"])
    func `a processing instruction is refused`(text: String) {
        #expect(read(text).diagnostic?.code == .processingInstruction)
    }

    @Test(arguments: [
        "", " ", "text", "<", "<a", "<a>", "<a/><b/>", "<a/>text", "<a b/>", "<a b='<'/>",
        "<a b='1' b='2'/>", "<a b='1'c='2'/>", "<a></b>", "<1/>", "<a><!-- -- --></a>",
        "<a>]]></a>", "<x:a/>", "<a x:b='1'/>", "<a>\u{1}</a>", "<a>\u{0}</a>", "<a>\u{FFFE}</a>",
        "<![CDATA[x]]>", "<!ELEMENT a ANY><a/>", "</a>", "<a/ >", "<a b=\"1'/>",
    ])
    func `what is not well-formed is refused`(text: String) {
        #expect(read(text).diagnostic?.code == .malformed)
    }

    @Test(arguments: ["ISO-8859-1", "UTF-16", "UTF-7", "EBCDIC", "latin1", "utf-8x", "UCS-4"])
    func `another encoding is refused`(name: String) {
        #expect(
            read("<?xml version='1.0' encoding='\(name)'?><a/>").diagnostic?.code == .notUTF8)
    }

    @Test func `text in UTF-16 is refused`() {
        for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32] {
            let bytes = [UInt8]("<a/>".data(using: encoding) ?? Data())
            #expect(read(bytes: bytes).diagnostic != nil, "\(encoding)")
        }
    }

    @Test func `exactly the valid sequences of two bytes are read`() {
        for first in UInt8(0x80)...0xFF {
            for second in stride(from: UInt8(0x08), through: 0xF8, by: 0x10) {
                let bytes = Array("<a>".utf8) + [first, second] + Array("</a>".utf8)
                let isValid = String(validating: bytes, as: UTF8.self) != nil
                #expect((read(bytes: bytes).diagnostic == nil) == isValid, "\(first) \(second)")
            }
        }
    }

    @Test func `a wrong byte is reported at its place`() {
        let bytes = Array("<a>\n ä".utf8) + [0xC0, 0x80] + Array("</a>".utf8)
        let diagnostic = read(bytes: bytes).diagnostic
        #expect(diagnostic?.code == .notUTF8)
        #expect(diagnostic?.position.line == 2)
        #expect(diagnostic?.position.column == 3)
    }

    // MARK: Limits

    private func attributes(_ count: Int) -> String {
        "<a \((0..<count).map { "x\($0)='1'" }.joined(separator: " "))/>"
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }

    @Test func `what is just within the limits is read`() {
        #expect(read(attributes(ReadingLimits.attributes)).diagnostic == nil)
        #expect(read(nested(ReadingLimits.depth)).diagnostic == nil)
        let value = String(repeating: "x", count: ReadingLimits.valueSize)
        #expect(read("<a x='\(value)'/>").diagnostic == nil)
        #expect(read("<a>\(value)</a>").diagnostic == nil)
        let name = String(repeating: "n", count: ReadingLimits.nameSize)
        #expect(read("<\(name) \(name)='1'/>").diagnostic == nil)
    }

    @Test func `what is just beyond the limits is refused`() {
        let value = String(repeating: "x", count: ReadingLimits.valueSize + 1)
        let name = String(repeating: "n", count: ReadingLimits.nameSize + 1)
        let texts = [
            attributes(ReadingLimits.attributes + 1), nested(ReadingLimits.depth + 1),
            "<a x='\(value)'/>", "<a>\(value)</a>", "<\(name)/>", "<a \(name)='1'/>",
        ]
        for text in texts {
            #expect(read(text).diagnostic?.code == .limitExceeded, "\(text.prefix(20))")
        }
    }

    @Test func `too many elements are refused`() {
        let elements = String(repeating: "<b/>", count: ReadingLimits.elements)
        #expect(read("<a>\(elements)</a>").diagnostic?.code == .limitExceeded)
    }

    @Test func `a file that is too large is refused`() {
        let text = "<a>\(String(repeating: " ", count: ReadingLimits.fileSize))</a>"
        #expect(read(text).diagnostic?.code == .limitExceeded)
    }

    @Test(.timeLimit(.minutes(10)))
    func `masses of attributes, levels or references take no time`() {
        _ = read(attributes(100_000))
        _ = read(nested(100_000))
        _ = read("<a>\(String(repeating: "&amp;", count: 13_000))</a>")
        _ = read("<a x='\(String(repeating: "&#65;", count: 13_000))'/>")
        // A broken tag hides nothing from the limits.
        _ = read("<a =" + attributes(100_000))
    }
}
