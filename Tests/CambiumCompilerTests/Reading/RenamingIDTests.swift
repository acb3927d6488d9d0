import CompilerTestSupport
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// A Renaming ID says what a property was, also where another entity of its hierarchy declared it.
struct RenamingIDTests {
    private func attribute(_ name: String, _ elementID: String? = nil) -> String {
        let id = elementID.map { " elementID=\"\($0)\"" } ?? ""
        return "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"\(id)/>"
    }

    private func family(_ parent: String, _ child: String) -> String {
        """
        <entity name="P" isAbstract="YES">\(parent)</entity>
        <entity name="A" parentEntity="P">\(attribute("x"))\(child)</entity>
        """
    }

    /// What the entities say that their properties were called.
    private func formerNames(_ versions: [String]) throws -> [String] {
        let bundle = withExtendedLifetime(try XcodeBundleFolder(versions)) { folder in
            BundleReader.read(folder.path).bundle
        }
        return try #require(bundle.versions.last).root.children(named: "entity").flatMap { entity in
            entity.children.compactMap { $0["renamedFrom"]?.value }
        }
    }

    @Test func `what moves up with a new name is what it was below`() throws {
        let versions = [
            family("", attribute("title")), family(attribute("name", "title"), ""),
        ]
        #expect(try formerNames(versions) == ["title"])
        let folder = try XcodeBundleFolder(versions + [versions[1]])
        let compilation = ModelCompiler.compile(folder.path)
        #expect(compilation.diagnostics.map(\.rendered) == [])
        // It comes back from Cambium's own language.
        let own = BundleReader.read(try folder.convert()).bundle
        let texts = ModelConverter.xcodeBundle(from: own).map(\.contents)
        #expect(texts.count { $0.contains("elementID=\"title\"") } == 2)
    }

    @Test func `what moves down with a new name is what it was above`() throws {
        #expect(
            try formerNames([
                family(attribute("title"), ""), family("", attribute("name", "title")),
            ]) == ["title"])
    }

    @Test func `a new parent knows what its entities had`() throws {
        let old = "<entity name=\"A\">\(attribute("x"))\(attribute("title"))</entity>"
        #expect(try formerNames([old, family(attribute("name", "title"), "")]) == ["title"])
    }

    @Test func `a relationship was no attribute`() throws {
        let link = """
            <relationship name="other" optional="YES" maxCount="1" destinationEntity="A"
              elementID="title"/>
            """
        #expect(try formerNames([family("", attribute("title")), family("", link)]) == [])
    }

    @Test func `an ID that the entity itself had comes first`() throws {
        let old = family(attribute("title"), attribute("label", "name"))
        let new = family(attribute("title"), attribute("text", "name"))
        #expect(try formerNames([old, new]) == ["label"])
    }
}
