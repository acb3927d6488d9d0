import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Cambium's own models become Xcode's and Cambium's own again, and nothing is lost.
struct OwnConversionTests {
    static let models: [String] = {
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Models").path
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return (paths ?? []).filter { $0.hasSuffix(".cambium") }.sorted().map { folder + "/" + $0 }
    }()

    @Test func `there are models to look at`() {
        #expect(Self.models.count >= 5)
    }

    @Test(arguments: models)
    func `a model of ours comes back from Xcode's XML as it was`(path: String) throws {
        let (bundle, _) = BundleReader.read(path)
        try expectRoundTrip(bundle)
    }

    @Test func `all of the language comes back from Xcode's XML`() throws {
        let versions = [
            model("1", #"<entity name="Old"><attribute name="first" type="string"/></entity>"#),
            model(
                "2",
                #"""
                <enum name="Unused" type="int32"><case name="one" value="1"/></enum>
                <enum name="Kind"><case name="book"/><case name="toy" value="a, &quot;b&quot;"/></enum>
                <composite name="Address"><attribute name="street" type="string" default="x"/>
                  <attribute name="kind" type="Kind" optional="true"/><info key="c" value="d"/></composite>
                <entity name="Product" parent="Named" class="ProductClass" codegen="base" validate="custom"
                    renamedFrom="Old" hashModifier="2">
                  <attribute name="title" type="string" renamedFrom="first" minLength="3" maxLength="9"
                      pattern="[A-Z]+" validate="custom" default="A"><info key="k" value="v &lt; w"/><suppress code="LQ202" reason="a &amp; b"/></attribute>
                  <attribute name="kind" type="Kind" default="toy"/>
                  <attribute name="price" type="decimal"/>
                  <attribute name="cost" type="decimal" scale="4" min="0" max="1.5"/>
                  <attribute name="weight" type="decimal" scale="any" default="1.25"/>
                  <attribute name="stock" type="int32" default="0" min="0" merge="sum"/>
                  <attribute name="made" type="date" default="now" min="1999-12-31T23:59:59Z"/>
                  <attribute name="sold" type="date" default="2026-01-31"/>
                  <attribute name="token" type="uuid" default="new"/>
                  <attribute name="link" type="uri" optional="true" default="https://example.org/"/>
                  <attribute name="photo" type="data" optional="true" storage="external" maxLength="9"/>
                  <attribute name="tint" type="codable" class="Colour" default="{}"/>
                  <attribute name="ids" type="codable" class="[Int64]" optional="true" merge="union"/>
                  <attribute name="home" type="Address" optional="true"/>
                  <attribute name="isNew" type="bool" transient="true" default="true" preserved="true"/>
                  <derived name="total" type="double" optional="true" expression="tags.@count * 2"/>
                  <relationship name="group" to="Group" inverse="products" optional="true" onDelete="deny"><suppress code="CM512" reason="shared"/></relationship>
                  <relationship name="tags" to="Tag" inverse="products" many="true" ordered="true" min="1" max="8"/>
                  <relationship name="notes" to="Tag" many="true" optional="true" transient="true"/>
                  <fetched name="rivals" to="Group" where="name != $source.name" sort="name" limit="3"/>
                  <unique by="title, kind"/><unique by="price token"/>
                  <index by="price descending, title" where="stock &gt; 0"/>
                  <index name="place" type="rtree"><by property="stock"/><by expression="stock + 1" descending="true"/></index>
                  <index name="marked" by="stock"><info key="a.b" value="c"/></index>
                  <rule name="cheap" message="Too &quot;dear&quot;">price &lt; 5 AND
                    stock &gt; 0</rule>
                  <rule name="positive">stock &gt;= 0</rule>
                  <fetch name="cheaper" sort="price, title" result="ids"><parameter name="limit" type="decimal"/>price &lt; $limit<info key="f" value="g"/></fetch>
                  <fetch name="dear"><parameter name="least"/>price &gt; $least</fetch>
                  <fetch name="everything"/>
                  <info key="entity" value="info"/><suppress code="LQ201" reason="one"/>
                </entity>
                <entity name="Named" abstract="true"/>
                <entity name="Group"><attribute name="name" type="string"/>
                  <relationship name="products" to="Product" inverse="group" many="true"/></entity>
                <entity name="Tag"><relationship name="products" to="Product" inverse="tags" many="true"/>
                  <fetch name="first" limit="1"/></entity>
                <configuration name="Catalogue" entities="Product Group Tag Named"><info key="x" value="y"/></configuration>
                <migration from="1">
                  <fill entity="Product" attribute="price" with="'a &amp; b'"/><step name="split"/>
                  <rename entity="Product" property="kind" from="sort"/>
                </migration>
                <info key="model" value="info"/><suppress code="CM407" reason="three states"/>
                """#),
        ]
        try expectRoundTrip(
            ParsedBundle(name: "Shop", path: "Shop.cambium", versions: try versions.map(parsed)))
    }

    @Test func `a model without an entity keeps what is said of it`() throws {
        let version = model(
            "1", #"<enum name="E" type="int16"><case name="a" value="1"/></enum>"#)
        try expectRoundTrip(
            ParsedBundle(name: "Shop", path: "Shop.cambium", versions: [try parsed(version)]))
    }

    @Test func `a name changed since in Cambium's XML wins over Xcode's old spelling`() throws {
        let file = model(
            "1",
            #"""
            <entity name="A"><attribute name="n" type="string" xcode:attributeType="Transformable"
              default="4" xcode:defaultValueString="NO" xcode:syncable="YES"/></entity>
            """#)
        let bundle = ParsedBundle(
            name: "Shop", path: "Shop.cambium", versions: [try parsed(file)])
        let text = try #require(ModelConverter.xcodeBundle(from: bundle).first).contents
        #expect(
            text.contains(
                #"<attribute name="n" attributeType="String" defaultValueString="4" syncable="YES"/>"#
            ))
    }

    // MARK: Support

    private func model(_ version: String, _ content: String) -> (version: String, text: String) {
        (
            version,
            """
            <model xmlns="urn:cambium:model:1" xmlns:xcode="urn:cambium:xcode:1" name="Shop" \
            version="\(version)" access="public" identifier="three">\(content)</model>
            """
        )
    }

    private func parsed(_ file: (version: String, text: String)) throws -> ParsedModel {
        let source = SourceText(path: "\(file.version).xml", bytes: Array(file.text.utf8))
        return ParsedModel(
            source: source, version: file.version, root: try XMLReader.read(source))
    }

    private func expectRoundTrip(_ bundle: ParsedBundle) throws {
        let (xcode, diagnostics) = try readBack(ModelConverter.xcodeBundle(from: bundle))
        #expect(diagnostics.isEmpty, "\(diagnostics.map(\.rendered))")
        #expect(xcode.versions.allSatisfy { $0.format == .xcode })
        let (own, ownDiagnostics) = try readBack(ModelConverter.ownBundle(from: xcode))
        #expect(ownDiagnostics.isEmpty, "\(ownDiagnostics.map(\.rendered))")
        #expect(own.versions.map(\.version) == bundle.versions.map(\.version))
        for (original, result) in zip(bundle.versions, own.versions) {
            let lost = XMLTree(result.root).grouped
                .differences(from: XMLTree(original.root).grouped)
            #expect(lost.isEmpty, "\(bundle.path) \(original.version): \(lost.prefix(5))")
        }
    }
}

/// Writes the files of a bundle and reads them.
func readBack(
    _ files: [(path: String, contents: String)]
) throws -> (bundle: ParsedBundle, diagnostics: [Diagnostic]) {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("cambium-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, contents) in files {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(contents.utf8).write(to: file)
    }
    let first = try #require(files.first?.path.split(separator: "/").first)
    return BundleReader.read(folder.appendingPathComponent(String(first)).path)
}
