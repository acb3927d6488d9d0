import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

struct FrozenVersionTests {
    private static let version = """
        <model xmlns="urn:cambium:model:1" name="Shop" version="1">
          <enum name="Kind"><case name="book"/><case name="toy"/></enum>
          <entity name="Product">
            <attribute name="sku" type="string" minLength="3"/>
            <attribute name="kind" type="Kind" default="book"/>
            <attribute name="price" type="decimal" scale="2" optional="true"/>
            <relationship name="next" to="Product" inverse="last" optional="true"/>
            <relationship name="last" to="Product" inverse="next" optional="true"/>
            <unique by="sku"/>
            <index by="price" where="price &gt; 1"/>
            <rule name="cheap" message="Too dear">price == nil OR price &lt; 100</rule>
            <fetch name="all" sort="sku"/>
          </entity>
        </model>
        """

    /// A frozen bundle, and what is said of it when its file is another one.
    private func codes(afterChangeTo text: String) throws -> [DiagnosticCode] {
        try diagnostics(afterChangeTo: text).map(\.code)
    }

    private func diagnostics(
        afterChangeTo text: String, _ change: (String) -> String = { $0 }
    ) throws -> [Diagnostic] {
        let folder = try BundleFolder(["1.xml": Self.version])
        let bundle = try #require(ModelCompiler.compile(folder.bundle.path).bundle)
        let lock = try VersionFreezer.freeze(bundle, lock: nil).text
        try Data(change(lock).utf8).write(to: folder.bundle.appendingPathComponent("cambium.lock"))
        try Data(text.utf8).write(to: folder.bundle.appendingPathComponent("1.xml"))
        return ModelCompiler.compile(folder.bundle.path).diagnostics
    }

    private func changed(_ old: String, _ new: String) -> String {
        Self.version.replacingOccurrences(of: old, with: new)
    }

    @Test func `a frozen version that is as it was is fine`() throws {
        #expect(try codes(afterChangeTo: Self.version) == [])
    }

    @Test(arguments: [
        ("  <entity", "<!-- new -->\n\n\t<entity"),
        (" name=\"sku\" type=\"string\"", " type='string'  name='sku'"),
        ("price &gt; 1\"", "price\n &#62;  1\""),
        (">price == nil OR price &lt; 100<", ">\n price == nil\n OR <![CDATA[price < 100]]><"),
        ("<unique by=\"sku\"/>\n", ""), ("Too dear", "Too expensive"),
        ("sort=\"sku\"", "sort=\"price\""),
        ("<entity name=\"Product\">", "<entity name=\"Product\" codegen=\"base\">"),
        ("scale=\"2\" optional", "merge=\"sum\" scale=\"2\" optional"),
        ("price == nil OR price &lt; 100<", "(price = NULL) || price&lt;100.0<"),
        ("price &gt; 1\"", "(price) &gt; 1.00\""),
        (
            "<case name=\"book\"/><case name=\"toy\"/>",
            "<case name=\"toy\"/><case name=\"book\" value=\"book\"/>"
        ),
        ("minLength=\"3\"", "minLength=\"03\""),
    ])
    func `layout and what only the program sees may change`(old: String, new: String) throws {
        var text = changed(old, new)
        // The unique set moves to another place.
        if new.isEmpty {
            text = text.replacingOccurrences(of: "<fetch", with: "<unique by=\"sku\"/>\n<fetch")
        }
        #expect(text != Self.version)
        #expect(try codes(afterChangeTo: text) == [])
    }

    @Test(arguments: [
        ("type=\"string\"", "type=\"data\""),
        ("scale=\"2\" optional=\"true\"", "scale=\"2\" default=\"0\""),
        ("minLength=\"3\"", "minLength=\"2\""), ("default=\"book\"", "default=\"toy\""),
        ("<case name=\"toy\"/>", "<case name=\"toy\" value=\"TOY\"/>"), ("&lt; 100", "&lt; 99"),
        ("price &gt; 1\"", "price &gt; 2\""), ("<unique by=\"sku\"/>", ""),
        ("<index by=\"price\" where=\"price &gt; 1\"/>", ""), ("scale=\"2\"", "scale=\"3\""),
        ("</entity>", "<attribute name=\"x\" type=\"int32\"/></entity>"),
        ("<rule name=\"cheap\" message=\"Too dear\">price == nil OR price &lt; 100</rule>", ""),
    ])
    func `a change that stores do not have is refused`(old: String, new: String) throws {
        let text = changed(old, new)
        #expect(text != Self.version)
        #expect(try codes(afterChangeTo: text) == [.frozenVersionChanged])
    }

    @Test(arguments: [
        (" minLength=\"3\"", "", ["Product.sku had: minLength=\"3\""], 4),
        (
            "minLength=\"3\"", "minLength=\"2\"",
            ["Product.sku had: minLength=\"3\"; it has now: minLength=\"2\""], 4
        ),
        (
            "type=\"string\" minLength", "type=\"string\" optional=\"true\" minLength",
            ["Product.sku had: string; it has now: string optional"], 4
        ),
        (
            "<case name=\"toy\"/>", "<case name=\"car\"/>",
            [
                "Kind had: book=\"book\" toy=\"toy\"; it has now: book=\"book\" car=\"car\""
            ], 2
        ),
        (
            "price == nil OR price &lt; 100", "price == nil OR price &lt; 99",
            [
                "Product.cheap had: price == nil OR price < 100; "
                    + "it has now: price == nil OR price < 99"
            ], 11
        ),
        ("<unique by=\"sku\"/>", "", ["Product had: unique sku"], 3),
        (
            "</entity>",
            "<attribute name=\"x\" type=\"bool\" default=\"true\"/></entity><entity name=\"Tag\">"
                + "<attribute name=\"word\" type=\"string\"/></entity>",
            [
                "Product.x is new: bool, default=\"true\"", "Tag is new", "Tag.word is new: string",
            ], 13
        ),
    ])
    func `what has changed is named, and what it was`(
        old: String, new: String, notes: [String], line: Int
    ) throws {
        let found = try diagnostics(afterChangeTo: changed(old, new))
        let diagnostic = try #require(found.first)
        #expect(Array(diagnostic.notes.dropLast(2)) == notes)
        #expect(diagnostic.position.line == line)
    }

    @Test func `a lock without lines still says that something has changed`()
        throws
    {
        let found = try diagnostics(afterChangeTo: changed(" minLength=\"3\"", "")) { lock in
            lock.split(separator: "\n").filter { !$0.hasPrefix("+") && !$0.hasPrefix("=") }
                .joined(separator: "\n")
        }
        #expect(found.map(\.code) == [.frozenVersionChanged, .incompleteLock])
        #expect(found.first?.notes.count == 2)
    }

    @Test func `lines that a lock has lost are missed, and freezing writes them anew`() throws {
        let folder = try BundleFolder(["1.xml": Self.version])
        let bundle = try #require(ModelCompiler.compile(folder.bundle.path).bundle)
        let lock = try VersionFreezer.freeze(bundle, lock: nil).text
        let lines = lock.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() where "=+".contains(line.prefix(1)) && line != "" {
            let rest = lines.enumerated().filter { $0.offset != number }.map(\.element)
                .joined(separator: "\n")
            let other = try BundleFolder([
                "1.xml": Self.version, "cambium.lock": rest,
            ])
            let found = ModelCompiler.compile(other.bundle.path).diagnostics
            #expect(found.map(\.code) == [.incompleteLock], "without \(line)")
            let again = try VersionFreezer.freeze(bundle, through: "1", lock: rest)
            #expect(again.text == lock)
        }
    }

    @Test func `a frozen version that is gone is missed`() throws {
        let folder = try BundleFolder(["1.xml": Self.version])
        let bundle = try #require(ModelCompiler.compile(folder.bundle.path).bundle)
        let lock = try VersionFreezer.freeze(bundle, lock: nil).text
        let second = Self.version.replacingOccurrences(of: "version=\"1\"", with: "version=\"2\"")
        let other = try BundleFolder(["2.xml": second, "cambium.lock": lock])
        let found = ModelCompiler.compile(other.bundle.path).diagnostics
        #expect(found.map(\.code) == [.frozenVersionMissing])
        #expect(found.first?.message.contains("Version 1") == true)
    }

    @Test func `a lock that cannot be read stops the build`() throws {
        let folder = try BundleFolder(["1.xml": Self.version, "cambium.lock": "x"])
        let compilation = ModelCompiler.compile(folder.bundle.path)
        #expect(compilation.diagnostics.map(\.code) == [.malformedLock])
        #expect(compilation.bundle == nil)
    }

    @Test func `freezing again changes nothing, and a changed version only when asked`() throws {
        let folder = try BundleFolder(["1.xml": Self.version])
        let bundle = try #require(ModelCompiler.compile(folder.bundle.path).bundle)
        let first = try VersionFreezer.freeze(bundle, lock: nil)
        #expect(first.frozen == ["1"])
        let second = try VersionFreezer.freeze(bundle, lock: first.text)
        #expect(second.text == first.text)
        #expect(second.frozen == [])
        let other = try BundleFolder(["1.xml": changed("minLength=\"3\"", "")])
        let changed = try #require(ModelCompiler.compile(other.bundle.path).bundle)
        #expect(throws: VersionFreezer.Failure.self) {
            try VersionFreezer.freeze(changed, lock: first.text)
        }
        let again = try VersionFreezer.freeze(changed, again: ["1"], lock: first.text)
        #expect(again.frozen == ["1"])
        #expect(again.text != first.text)
    }

    @Test func `versions are frozen up to the one that is named`() throws {
        let second = Self.version.replacingOccurrences(of: "version=\"1\"", with: "version=\"2\"")
        let folder = try BundleFolder(["1.xml": Self.version, "2.xml": second])
        let bundle = try #require(ModelCompiler.compile(folder.bundle.path).bundle)
        #expect(try VersionFreezer.freeze(bundle, through: "1", lock: nil).frozen == ["1"])
        #expect(try VersionFreezer.freeze(bundle, lock: nil).frozen == ["1", "2"])
        #expect(throws: VersionFreezer.Failure.self) {
            try VersionFreezer.freeze(bundle, through: "3", lock: nil)
        }
    }
}
