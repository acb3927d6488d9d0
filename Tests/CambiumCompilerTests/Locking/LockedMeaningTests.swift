import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// A lock compares what versions mean, and not how they are spelled.
struct LockedMeaningTests {
    private static let first = """
        <model xmlns="urn:cambium:model:1" name="Shop" version="1">
          <enum name="Kind"><case name="book"/><case name="toy"/></enum>
          <composite name="Size"><attribute name="width" type="double" default="1"/></composite>
          <entity name="Product">
            <attribute name="name" type="string"/>
            <attribute name="stock" type="int32"/>
            <attribute name="weight" type="double" default="1"/>
            <attribute name="kind" type="Kind"/>
            <attribute name="size" type="Size"/>
          </entity>
        </model>
        """
    private static let second = """
        <model xmlns="urn:cambium:model:1" name="Shop" version="2">
          <enum name="Kind"><case name="book"/><case name="car"/></enum>
          <composite name="Size"><attribute name="width" type="double" default="1"/></composite>
          <entity name="Product" hashModifier="2">
            <attribute name="title" type="string" renamedFrom="name"/>
            <attribute name="stock" type="int32" default="1"/>
            <attribute name="weight" type="double" default="1.0"/>
            <attribute name="double" type="int32" max="10"/>
            <attribute name="kind" type="Kind"/>
            <attribute name="size" type="Size"/>
            <index by="stock" where="stock &gt; 0 AND double &gt; 0"/>
            <rule name="some">stock == 0 OR double == 0 OR title != "none"</rule>
          </entity>
          <migration from="1">
            <fill entity="Product" attribute="double" with="stock * 2"/>
            <drop entity="Product" where="stock &lt; 0" reason="nobody has such"/>
            <replace enum="Kind" case="toy" with="book" reason="gone"/>
          </migration>
        </model>
        """

    private func diagnostics(
        afterChangeTo text: String, of second: String = Self.second
    ) throws -> [Diagnostic] {
        let folder = try BundleFolder(["1.xml": Self.first, "2.xml": second])
        let compilation = ModelCompiler.compile(folder.bundle.path)
        #expect(compilation.diagnostics.filter(\.isError).map(\.rendered) == [])
        let bundle = try #require(compilation.bundle)
        let lock = try VersionFreezer.freeze(bundle, lock: nil).text
        try Data(lock.utf8).write(to: folder.bundle.appendingPathComponent("cambium.lock"))
        try Data(text.utf8).write(to: folder.bundle.appendingPathComponent("2.xml"))
        return ModelCompiler.compile(folder.bundle.path).diagnostics.filter(\.isError)
    }

    @Test func `another spelling of everything is no change`() throws {
        var text = Self.second
        for (old, new) in [
            ("stock * 2", "(stock*2)"), ("stock &lt; 0", "(stock)&lt;0"),
            ("stock &gt; 0 AND double &gt; 0", "stock&gt;0 &amp;&amp; double>0"),
            (
                "stock == 0 OR double == 0 OR title != \"none\"",
                "stock = 0 or double=0 || title &lt;&gt; 'none'"
            ),
            (" default=\"1\"/>", " default=\"01\"/>"), ("default=\"1.0\"", "default=\"1\""),
            ("max=\"10\"", "max=\"010\""), (" renamedFrom=\"name\"", ""),
            (
                "<migration from=\"1\">",
                "<migration from=\"1\"><rename entity=\"Product\" property=\"title\" from=\"name\"/>"
            ),
            ("nobody has such", "said in another way"),
        ] {
            #expect(text.contains(old), "\(old)")
            text = text.replacingOccurrences(of: old, with: new)
        }
        #expect(try diagnostics(afterChangeTo: text).map(\.rendered) == [])
    }

    @Test(arguments: [
        ("stock * 2", "stock * 3", 15), ("stock &lt; 0", "stock &lt; 1", 16),
        (" with=\"book\"", " with=\"car\"", 17), ("max=\"10\"", "max=\"11\"", 8),
        ("double == 0 OR", "double == 1 OR", 12), ("stock &gt; 0 AND", "stock &gt; 1 AND", 4),
        ("default=\"1.0\"", "default=\"1.5\"", 7),
    ])
    func `another meaning is a change, at what has changed`(
        old: String, new: String, line: Int
    ) throws {
        let text = Self.second.replacingOccurrences(of: old, with: new)
        #expect(text != Self.second)
        let found = try diagnostics(afterChangeTo: text)
        #expect(found.first?.code == .frozenVersionChanged)
        #expect(found.first?.position.line == line)
    }

    @Test func `rules for equal objects in another order are another migration`() throws {
        let rules = ["name", "stock"].map {
            "<deduplicate entity=\"Product\" by=\"\($0)\" reason=\"entered twice\"/>"
        }
        func second(_ rules: [String]) -> String {
            Self.first.replacingOccurrences(of: "version=\"1\"", with: "version=\"2\"")
                .replacingOccurrences(
                    of: "</entity>", with: "<unique by=\"name\"/><unique by=\"stock\"/></entity>"
                )
                .replacingOccurrences(
                    of: "</model>",
                    with: "<migration from=\"1\">\(rules.joined())</migration></model>")
        }
        #expect(try diagnostics(afterChangeTo: second(rules), of: second(rules)).isEmpty)
        let found = try diagnostics(afterChangeTo: second(rules.reversed()), of: second(rules))
        #expect(found.first?.code == .frozenVersionChanged)
    }

    @Test func `a lock of a former format is kept, and written anew`() throws {
        let text = Self.first
        let folder = try BundleFolder(["1.xml": text])
        let bundle = try #require(ModelCompiler.compile(folder.bundle.path).bundle)
        let version = try #require(bundle.versions.first)
        let former = LockedVersion(version, isFormer: true)
        let lock = "cambium-lock 2 sha256\n\(former.storage) \(former.conditions) 1\n"
        let frozen = try VersionFreezer.freeze(bundle, lock: lock)
        #expect(frozen.frozen == [])
        #expect(frozen.text == (try VersionFreezer.freeze(bundle, lock: nil).text))
        let gone = lock + "\(former.storage) \(former.conditions) 0\n"
        let error = #expect(throws: VersionFreezer.Failure.self) {
            try VersionFreezer.freeze(bundle, lock: gone)
        }
        #expect(try #require(error).message.contains("The lock names version 0"))
    }
}
