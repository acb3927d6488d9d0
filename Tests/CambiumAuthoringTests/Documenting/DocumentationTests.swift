import CambiumModel
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

struct DocumentationTests {
    /// The tags of a page, in order: each with its name and the number of its quotes, so that
    /// neither a tag nor an attribute more goes unseen.
    private func tags(of page: String) -> [String] {
        page.utf8.split(separator: UInt8(ascii: "<")).dropFirst().map { part in
            let tag = part.prefix { $0 != UInt8(ascii: ">") }
            let name = tag.prefix { $0 != UInt8(ascii: " ") }
            return "\(Substring(name)) \(tag.count { $0 == UInt8(ascii: "\"") })"
        }
    }

    @Test(arguments: DocumentationFixture.hostile)
    func `no text of a model becomes markup`(payload: String) {
        let plain = DocumentationFixture().bundle.documentation(path: nil)
        let page = DocumentationFixture { $0 + payload }.bundle.documentation(path: nil)
        #expect(tags(of: page) == tags(of: plain))
        #expect(page.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
    }

    @Test func `every link of the page leads to a place in it`() {
        for suffix in ["", "é <\"", " a.b"] {
            let page = DocumentationFixture { $0 + suffix }.bundle.documentation(path: nil)
            let places = Set(page.matches(of: #/id="([^"]*)"/#).map { String($0.output.1) })
            let links = page.matches(of: #/href="([^"]*)"/#).map { String($0.output.1) }
            #expect(links.count > 10)
            for link in links { #expect(places.contains(String(link.dropFirst())), "\(link)") }
            #expect(links.allSatisfy { $0.hasPrefix("#") })
            #expect(page.matches(of: #/id="/#).count == places.count)
        }
    }

    @Test func `tags are closed in the order in which they are opened`() {
        let page = DocumentationFixture().bundle.documentation(path: nil)
        var open: [String] = []
        for match in page.matches(of: #/<(/?)([a-z0-9]+)[^>]*>/#) {
            let name = String(match.output.2)
            if match.output.1 == "/" {
                #expect(open.popLast() == name)
            } else if !["meta", "input"].contains(name) {
                open.append(name)
            }
        }
        #expect(open.isEmpty)
    }

    @Test func `the page needs nothing but itself`() {
        let page = DocumentationFixture().bundle.documentation(path: nil)
        for word in ["<link", "http://", "https://", "@import", "url(", "src="] {
            #expect(!page.contains(word), "\(word)")
        }
    }

    @Test func `the page runs its own script alone, by its hash`() throws {
        let page = DocumentationFixture().bundle.documentation(path: nil)
        let scripts = page.matches(of: #/(?s)<script>(.*?)<\/script>/#).map { $0.output.1 }
        #expect(scripts.count == 1 && page.ranges(of: "<script").count == 1)
        let script = String(try #require(scripts.first))
        let hash = try #require(page.firstMatch(of: #/script-src 'sha256-([^']+)'/#)?.output.1)
        let bytes = try #require(Data(base64Encoded: String(hash)))
        let digits = bytes.map { String(format: "%02x", $0) }.joined()
        #expect(digits == SHA256.hexadecimal(of: script))
    }

    @Test func `the same model gives the same page`() {
        let first = DocumentationFixture().bundle.documentation(path: nil)
        #expect(DocumentationFixture().bundle.documentation(path: nil) == first)
    }

    @Test(arguments: [
        "Product", "PlainProduct", "[a-z]+", "number", "BOOK", "never shipped", "message",
        "a &lt; b",
        "0 or 1", "0 or more", "Size", "Labels", "Drop Legacy and its data",
        "Add the enumeration Kind",
        "The first version.", "second",
    ])
    func `the page says`(what: String) {
        #expect(DocumentationFixture().bundle.documentation(path: nil).contains(what))
    }

    @Test(
        .enabled(if: GraphvizTests.path != nil, "Graphviz is not installed"))
    func `with Graphviz the page has a picture whose boxes lead to the entities`() {
        let page = DocumentationFixture().bundle.documentation(path: GraphvizTests.path)
        #expect(page.contains("<svg"))
        #expect(page.contains("xlink:href=\"#entity-Product\""))
    }
}
