import CambiumPlan
import CambiumSQL
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

/// Things of Xcode with one Renaming ID: whoever duplicates one duplicates that, too.
struct DuplicatedThingTests {
    private static func attribute(_ name: String, _ id: String? = nil) -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\""
            + (id.map { " elementID=\"\($0)\"" } ?? "") + "/>"
    }

    private static func entity(
        _ name: String, _ id: String? = nil, parent: String? = nil,
        content: String = attribute("x")
    ) -> String {
        "<entity name=\"\(name)\" representedClassName=\"\(name)\""
            + (parent.map { " parentEntity=\"\($0)\"" } ?? "")
            + (id.map { " elementID=\"\($0)\"" } ?? "") + ">\(content)</entity>"
    }

    /// What changes in the last step of a bundle that goes to a version of its own.
    private func changes(_ path: String, to number: Int) -> [String] {
        let versions = ModelCompiler.check(BundleReader.read(path).bundle).versions.map(\.model)
        guard versions.indices.contains(number) else { return ["none"] }
        return ModelDifference(from: versions[number - 1], to: versions[number]).changes
            .map(\.summary)
    }

    private static let duplicates: [(old: String, new: String, change: String)] = [
        (entity("A"), entity("A", "A") + entity("B", "A"), "add B"),
        (entity("A"), entity("B", "A") + entity("A", "A"), "add B"),
        (
            entity("A"), entity("A", content: attribute("x", "x") + attribute("y", "x")),
            "add A.y"
        ),
        (
            entity("A") + entity("B", parent: "A", content: attribute("y")),
            entity("A") + entity("B", parent: "A", content: attribute("y") + attribute("x2", "x")),
            "add B.x2"
        ),
    ]

    @Test(arguments: duplicates)
    func `what kept its name and its identity keeps its data`(
        old: String, new: String, change: String
    ) throws {
        let folder = try XcodeBundleFolder([old, new])
        for path in [folder.path, try folder.convert()] {
            let compilation = ModelCompiler.compile(path)
            #expect(changes(path, to: 1) == [change])
            let warnings = compilation.diagnostics.filter { $0.code == .xcodeMeaning }
            #expect(
                warnings.map { $0.message.contains("is new") }
                    == (path == folder.path ? [true] : []))
        }
        // In an earlier version nobody can change it.
        let three = try XcodeBundleFolder([old, new, new])
        let later = withExtendedLifetime(three) { ModelCompiler.compile(three.path) }
        #expect(!later.diagnostics.contains { $0.code == .xcodeMeaning })
        #expect(later.bundle?.migrations.count == 2)
    }

    @Test func `a copy of something that was renamed before is new`() throws {
        let folder = try XcodeBundleFolder([
            Self.entity("O"), Self.entity("A", "O"), Self.entity("A", "O") + Self.entity("B", "O"),
        ])
        #expect(changes(folder.path, to: 2) == ["add B"])
    }

    private static let splits: [(old: String, new: String, rename: String, change: String)] = [
        (entity("A"), entity("A1", "A") + entity("A2", "A"), "entity=\"A1\" from=\"A\"", "add A2"),
        (
            entity("A"), entity("A", content: attribute("x1", "x") + attribute("x2", "x")),
            "entity=\"A\" property=\"x1\" from=\"x\"", "add A.x2"
        ),
    ]

    @Test(arguments: splits)
    func `of two new names for one thing the file of declarations chooses`(
        old: String, new: String, rename: String, change: String
    ) throws {
        let folder = try XcodeBundleFolder([old, new, new])
        let diagnostics = ModelCompiler.compile(folder.path).diagnostics
        let chain = try #require(diagnostics.first { $0.code == .brokenChain })
        let note = try #require(chain.notes.last)
        #expect(note.contains("Declare which one it was") && note.contains("<rename \(rename)/>"))
        #expect(!chain.notes.contains { $0.contains("take it back") })
        let declaration = try #require(note.firstRange(of: #/<migration.*</migration>/#))
        let file =
            "<history xmlns=\"urn:cambium:model:1\" name=\"Shop\">\(note[declaration])</history>"
        try Data(file.utf8).write(to: folder.url.appendingPathComponent("Shop.history.xml"))
        let declared = ModelCompiler.compile(folder.path)
        #expect(changes(folder.path, to: 1).contains(change))
        #expect(declared.bundle?.migrations.count == 2)
        #expect(!declared.diagnostics.contains { (700..<800).contains($0.code.rawValue) })
    }

    @Test func `what an entity inherits cannot become one of its own properties`() throws {
        let folder = try XcodeBundleFolder([
            Self.entity("A") + Self.entity("B", parent: "A", content: Self.attribute("y")),
            Self.entity("A", content: Self.attribute("z"))
                + Self.entity("B", parent: "A", content: Self.attribute("x2", "x")),
        ])
        let text = ModelCompiler.compile(folder.path).diagnostics.map(\.rendered).joined()
        #expect(!text.contains("has no such property"))
    }
}
