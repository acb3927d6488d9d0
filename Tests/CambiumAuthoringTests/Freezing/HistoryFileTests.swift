import CambiumModel
import CambiumPlan
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// The file of declarations beside a bundle that cannot be edited.
struct HistoryFileTests {
    private static func entity(_ name: String, _ content: String) -> String {
        "<entity name=\"\(name)\" representedClassName=\"\(name)\" syncable=\"YES\">\(content)</entity>"
    }

    private static func attribute(
        _ name: String, _ type: String = "String", _ more: String = ""
    ) -> String {
        "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(more)/>"
    }

    /// Four versions: what the second drops and requires needs a word; so does the last.
    private static let versions = [
        entity("A", attribute("x") + attribute("gone", "String", "optional=\"YES\"")),
        entity("A", attribute("x") + attribute("made", "Date") + attribute("kind", "Integer 16")),
        entity("A", attribute("x") + attribute("made", "Date") + attribute("kind", "Integer 16")),
        entity("A", attribute("x") + attribute("made", "Date")),
    ]

    private func write(_ folder: XcodeBundleFolder, through last: String? = nil) throws -> String {
        let result = ModelHistory.write(of: folder.path, through: last)
        let text = try #require(result.text)
        try Data(text.utf8).write(to: folder.url.appendingPathComponent("Shop.history.xml"))
        return text
    }

    private func classes(_ compilation: Compilation) -> [MigrationKind]? {
        compilation.bundle?.migrations.map(\.kind)
    }

    @Test func `with the file that freezing writes, old stores can be migrated without a warning`()
        throws
    {
        let folder = try XcodeBundleFolder(Array(Self.versions.prefix(3)))
        let before = ModelCompiler.compile(folder.path)
        #expect(before.diagnostics.map(\.code) == [.brokenChain])
        #expect(before.bundle?.migrations.count == 1)
        let text = try write(folder)
        let after = ModelCompiler.compile(folder.path)
        #expect(after.diagnostics.map(\.rendered) == [])
        #expect(classes(after) == [.needsData, .additive])
        #expect(
            text.hasSuffix(
                """
                <history xmlns="urn:cambium:model:1" name="Shop">

                  <migration from="Shop 1" to="Shop 2">
                    <fill entity="A" attribute="made" with="'2001-01-01T00:00:00Z'" class="needsData"
                          reason="required in Shop 2, and existing objects have no declared value"/>
                    <fill entity="A" attribute="kind" with="0" class="needsData"
                          reason="required in Shop 2, and existing objects have no declared value"/>
                    <drop entity="A" property="gone" class="lossy"
                          reason="removed in Shop 2, where Core Data dropped it"/>
                  </migration>
                </history>

                """))
    }

    @Test func `a second time nothing is written, and what was put right stays`() throws {
        let folder = try XcodeBundleFolder(Array(Self.versions.prefix(3)))
        let text = try write(folder)
        #expect(ModelHistory.write(of: folder.path).text == nil)
        let file = folder.url.appendingPathComponent("Shop.history.xml")
        let edited = text.replacing("with=\"0\"", with: "with=\"7\"")
            .replacing("<drop", with: "<!-- nobody had one -->\n    <drop")
            .replacing(" property=\"gone\"", with: " property=\"gone\"  ")
        try Data(edited.utf8).write(to: file)
        #expect(ModelHistory.write(of: folder.path, through: "Shop 3").text == nil)
        #expect(classes(ModelCompiler.compile(folder.path)) == [.needsData, .additive])
    }

    @Test func `a later version adds its step, and leaves the others and their comments`() throws {
        let folder = try XcodeBundleFolder(Self.versions)
        let text = try write(folder)
        #expect(!text.contains("to=\"Shop 4\""))
        // The step to the current version is its author's to declare.
        #expect(ModelCompiler.compile(folder.path).diagnostics.map(\.code) == [.undecidedMigration])
        let file = folder.url.appendingPathComponent("Shop.history.xml")
        try Data(text.replacing("    <drop", with: "    <!-- mine -->\n    <drop").utf8).write(
            to: file)
        let more = try write(folder, through: "Shop 4")
        #expect(more.contains("<!-- mine -->\n    <drop entity=\"A\" property=\"gone\""))
        #expect(more.contains("<migration from=\"Shop 3\" to=\"Shop 4\">\n    <drop entity=\"A\""))
        #expect(ModelCompiler.compile(folder.path).diagnostics.map(\.rendered) == [])
    }

    @Test func `the file can lie elsewhere, and one that is named has to be there`() throws {
        let folder = try XcodeBundleFolder(Array(Self.versions.prefix(3)))
        _ = try write(folder)
        let file = folder.url.appendingPathComponent("Shop.history.xml")
        let other = folder.url.appendingPathComponent("declarations.xml")
        try FileManager.default.moveItem(at: file, to: other)
        #expect(ModelCompiler.compile(folder.path).bundle?.migrations.count == 1)
        let found = ModelCompiler.compile(folder.path, declarations: other.path)
        #expect(found.bundle?.migrations.count == 2)
        let missing = ModelCompiler.compile(folder.path, declarations: file.path)
        #expect(missing.diagnostics.map(\.code).contains(.bundleLayout))
    }

    @Test func `what is wrong with a declaration is said at its place in the file`() throws {
        let folder = try XcodeBundleFolder(Array(Self.versions.prefix(3)))
        let text = try write(folder)
        let file = folder.url.appendingPathComponent("Shop.history.xml")
        try Data(text.replacing("with=\"0\"", with: "with=\"y + 1\"").utf8).write(to: file)
        let diagnostic = try #require(ModelCompiler.compile(folder.path).diagnostics.first)
        #expect(diagnostic.code == .invalidExpression)
        #expect(diagnostic.position.path == file.path)
        let line = text.split(separator: "\n", omittingEmptySubsequences: false)
            .firstIndex { $0.contains("with=\"0\"") }
        #expect(diagnostic.position.line == line.map { $0 + 1 })
    }

    @Test func `a frozen version stays what it was when its step is declared later`() throws {
        let folder = try XcodeBundleFolder(Array(Self.versions.prefix(3)))
        let bundle = try #require(ModelCompiler.compile(folder.path).bundle)
        let lock = try VersionFreezer.freeze(bundle, lock: nil).text
        try Data(lock.utf8).write(to: URL(fileURLWithPath: folder.path + "/cambium.lock"))
        _ = try write(folder)
        #expect(ModelCompiler.compile(folder.path).diagnostics.map(\.code) == [])
    }

    @Test func `objects that cannot have what is required are given up, and that is said`() throws {
        let owner = "<relationship name=\"owner\" maxCount=\"1\" destinationEntity=\"B\"/>"
        let folder = try XcodeBundleFolder([
            Self.entity("A", Self.attribute("x")),
            Self.entity("A", Self.attribute("x") + owner) + Self.entity("B", Self.attribute("x")),
            Self.entity("A", Self.attribute("x") + owner) + Self.entity("B", Self.attribute("x")),
        ])
        let text = try write(folder)
        #expect(text.contains("<drop entity=\"A\" where=\"TRUEPREDICATE\" class=\"lossy\""))
        #expect(classes(ModelCompiler.compile(folder.path)) == [.needsData, .additive])
    }

    @Test func `a case that went without a word is replaced by one that is there`() throws {
        func kind(_ cases: String) -> String {
            Self.entity(
                "A",
                "<attribute name=\"kind\" attributeType=\"String\"><userInfo><entry "
                    + "key=\"cambium.enum\" value=\"Kind: \(cases)\"/></userInfo></attribute>")
        }
        let folder = try XcodeBundleFolder([kind("book, toy"), kind("book"), kind("book")])
        // Without the file it goes as a property would, and the message says so.
        let before = ModelCompiler.compile(folder.path)
        #expect(before.diagnostics.map(\.code) == [.impliedDrop])
        #expect(before.diagnostics.first?.message.contains("Kind.toy") == true)
        let text = try write(folder)
        #expect(text.contains("<replace enum=\"Kind\" case=\"toy\" with=\"book\" class=\"lossy\""))
        let after = ModelCompiler.compile(folder.path)
        #expect(after.diagnostics.map(\.rendered) == [])
        #expect(classes(after) == [.lossy, .additive])
    }

    @Test func `what no value fits is left to its author`() throws {
        let pattern = Self.attribute("code", "String", "regularExpressionString=\"[A-Z]+\"")
        let folder = try XcodeBundleFolder([
            Self.entity("A", Self.attribute("x")), Self.entity("A", Self.attribute("x") + pattern),
            Self.entity("A", Self.attribute("x") + pattern),
        ])
        let result = ModelHistory.write(of: folder.path)
        #expect(result.text == nil)
        #expect(result.open.count == 2)
        #expect(result.open.first?.hasSuffix("existing objects have no value for it") == true)
        #expect(result.open.last?.contains("This step needs code: write <migration") == true)
    }

    @Test(arguments: [
        "Boolean", "Integer 16", "Integer 32", "Integer 64", "Float", "Double", "Decimal", "String",
        "Date", "UUID", "URI", "Binary",
    ])
    func `existing objects get a value of each type`(type: String) throws {
        let folder = try XcodeBundleFolder([
            Self.entity("A", Self.attribute("x")),
            Self.entity("A", Self.attribute("x") + Self.attribute("new", type)),
            Self.entity("A", Self.attribute("x") + Self.attribute("new", type)),
        ])
        _ = try write(folder)
        let compilation = ModelCompiler.compile(folder.path)
        #expect(compilation.diagnostics.filter { $0.code.rawValue > 700 }.map(\.rendered) == [])
        #expect(classes(compilation) == [.needsData, .additive])
    }
}
