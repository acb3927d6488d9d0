import CompilerTestSupport
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// What the page says of steps that Core Data took.
struct ShippedVersionTests {
    private static let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#
    private static let note = """
        <entity name="Note"><attribute name="text" optional="YES" attributeType="String"/>
        <relationship name="author" optional="YES" maxCount="1" destinationEntity="Author"
            inverseName="notes" inverseEntity="Author"/></entity>
        """
    private static let notes = """
        <relationship name="notes" optional="YES" toMany="YES" destinationEntity="Note"
            inverseName="author" inverseEntity="Note"/>
        """

    private static func author(_ properties: String) -> String {
        #"<entity name="Author">\#(properties)</entity>"#
    }

    /// What the page says of the second of three versions, and what the compiler does.
    private func changes(_ versions: [String]) throws -> (page: String, messages: [String]) {
        let folder = try XcodeBundleFolder(versions)
        let compilation = ModelCompiler.compile(folder.path)
        let page = try #require(compilation.bundle).documentation(path: nil)
        let start = try #require(page.range(of: "<h3>Shop 2"))
        let end = try #require(
            page.range(of: "</article>", range: start.upperBound..<page.endIndex))
        return (
            String(page[start.upperBound..<end.lowerBound]),
            compilation.diagnostics.filter { $0.code == .impliedDrop || $0.code == .brokenChain }
                .map(\.message)
        )
    }

    private func row(_ summary: String, in page: String) -> String? {
        page.split(separator: "\n").first { $0.contains("\">\(summary)") }.map(String.init)
    }

    @Test func `it names all that the compiler says is lost`() throws {
        let second = Self.author(Self.name)
        let (page, messages) = try changes([
            Self.author(Self.name + Self.notes) + Self.note, second, second,
        ])
        let message = try #require(messages.first)
        #expect(messages.count == 1)
        #expect(message.hasSuffix(": Author.notes, Note"))
        for summary in ["Drop Note and its data", "Drop Author.notes and its links"] {
            let found = try #require(row(summary, in: page), "\(summary): \(page)")
            #expect(found.contains(">lost<"))
            #expect(found.contains("Core Data dropped it"))
        }
        #expect(!page.contains("not migrated"))
    }

    @Test func `a step that cannot be taken is marked, with what stops it and what would go`()
        throws
    {
        let second = Self.author(#"<attribute name="icon" attributeType="URI"/>"#)
        let (page, messages) = try changes([Self.author(Self.name), second, second])
        #expect(messages.count == 1)
        #expect(messages[0].contains("cannot be migrated"))
        #expect(page.contains(">not migrated<"))
        #expect(page.contains("<li>Author.icon is new and required"))
        #expect(row("Add Author.icon", in: page)?.contains(">undecided<") == true)
        #expect(row("Drop Author.name and its data", in: page)?.contains(">lost<") == true)
    }
}
