import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

/// What becomes of a bundle of Xcode that is converted, as a person sees it.
struct ConversionTests {
    private func contents(_ body: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DocumentModel" documentVersion="1.0" \
        lastSavedToolsVersion="22222" systemVersion="22F66" minimumToolsVersion="Automatic" \
        sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
        \(body)
        </model>
        """
    }

    private func entity(_ name: String, _ attributes: [String]) -> String {
        let lines = attributes.map {
            "<attribute name=\"\($0)\" attributeType=\"String\" optional=\"YES\"/>"
        }
        return "<entity name=\"\(name)\" representedClassName=\"\(name)\" syncable=\"YES\" "
            + "codeGenerationType=\"class\">\(lines.joined())</entity>"
    }

    /// A bundle of three versions, of which the second drops an attribute and an entity.
    private func bundle(in folder: TemporaryFolder) throws -> String {
        let versions = [
            "Shop": entity("Product", ["sku", "colour"]) + entity("Legacy", ["x"]),
            "Shop 2": entity("Product", ["sku"]),
            "Shop 3": entity("Product", ["sku", "title"]),
        ]
        for (version, body) in versions {
            try folder.write(
                contents(body), to: "Shop.xcdatamodeld/\(version).xcdatamodel/contents")
        }
        try folder.write(
            "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key>"
                + "<string>Shop 3.xcdatamodel</string></dict></plist>",
            to: "Shop.xcdatamodeld/.xccurrentversion")
        return folder.path("Shop.xcdatamodeld")
    }

    @Test func `what is odd in versions that have shipped is shown when it is asked for`() throws {
        let odd = """
            <entity name="Product" representedClassName="Product">
              <attribute name="id" attributeType="UUID" defaultValueString="empy"/></entity>
            """
        let folder = try TemporaryFolder()
        for version in ["Shop", "Shop 2"] {
            try folder.write(
                contents(odd), to: "Shop.xcdatamodeld/\(version).xcdatamodel/contents")
        }
        let proofs = folder.path("proofs")
        let path = folder.path("Shop.xcdatamodeld")
        // The second time all is remembered.
        for _ in 0..<2 {
            let brief = ToolRun("check", path, "--proofs", proofs)
            #expect(brief.code == .fine)
            #expect(brief.errors.contains("Shop 2.xcdatamodel/contents:4:65: warning: "))
            #expect(!brief.errors.contains("Shop.xcdatamodel/"))
            let verbose = ToolRun("check", path, "--verbose", "--proofs", proofs)
            #expect(verbose.errors.contains("Shop.xcdatamodel/contents:4:65: note: "))
            #expect(verbose.errors.contains("[CM402]"))
        }
        #expect(ToolRun("check", path, "--strict").code == .modelHasWarnings)
    }

    /// The codes in a report, in its order.
    private func codes(_ report: String) -> [Substring] {
        report.matches(of: /\[(CM\d+)\]/).map(\.output.1)
    }

    @Test func `a step that has shipped stays as lenient as it was`() throws {
        let folder = try TemporaryFolder()
        let path = try bundle(in: folder)
        let before = ToolRun("check", path)
        #expect(before.code == .fine)
        #expect(before.errors.contains("Legacy, Product.colour"))
        #expect(ToolRun("convert", path).code == .fine)
        let after = ToolRun("check", folder.path("Shop.cambium"))
        #expect(after.code == .fine, "\(after.errors)")
        #expect(after.errors.contains("Legacy, Product.colour"))
        #expect(codes(after.errors) == codes(before.errors))
    }

    @Test func `a drop in the step to the current version has to be declared before and after`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = try bundle(in: folder)
        try folder.write(
            contents(entity("Product", ["title"])),
            to: "Shop.xcdatamodeld/Shop 3.xcdatamodel/contents")
        #expect(ToolRun("convert", path).code == .fine)
        for name in ["Shop.xcdatamodeld", "Shop.cambium"] {
            let run = ToolRun("check", folder.path(name))
            #expect(run.code == .modelHasErrors)
            #expect(run.errors.contains("[CM703]"))
        }
    }

    @Test func `a forced conversion leaves the versions of the source and no others`() throws {
        let folder = try TemporaryFolder()
        let path = try bundle(in: folder)
        #expect(ToolRun("convert", path).code == .fine)
        try folder.write("<model/>", to: "Shop.cambium/Shop 9.xml")
        try folder.write("kept", to: "Shop.cambium/README.md")
        try folder.write(#"{ "versions": ["Shop 9"] }"#, to: "Shop.cambium.json")
        let run = ToolRun("convert", path, "--force")
        #expect(run.code == .fine)
        for name in ["Shop.cambium/Shop 9.xml", "Shop.cambium.json"] {
            #expect(folder.text(name) == nil)
            #expect(run.output.contains("Removed \(folder.path(name))"))
        }
        #expect(folder.text("Shop.cambium/README.md") == "kept")
        #expect(folder.text("Shop.cambium/Shop 3.xml") != nil)
        #expect(ToolRun("convert", folder.path("Shop.cambium"), "--force").code == .fine)
        try folder.write("", to: "Shop.xcdatamodeld/Shop 9.xcdatamodel/contents")
        #expect(ToolRun("convert", folder.path("Shop.cambium"), "--force").code == .fine)
        #expect(folder.text("Shop.xcdatamodeld/Shop 9.xcdatamodel/contents") == nil)
        #expect(folder.text("Shop.xcdatamodeld/Shop 3.xcdatamodel/contents") != nil)
    }

    @Test func `a model with findings is converted, and how many there are is said`() throws {
        let folder = try TemporaryFolder()
        let path = try bundle(in: folder)
        try folder.write(
            contents(entity("Product", ["title"])),
            to: "Shop.xcdatamodeld/Shop 3.xcdatamodel/contents")
        let run = ToolRun("convert", path)
        #expect(run.code == .fine)
        let new = folder.path("Shop.cambium")
        #expect(run.errors.contains("the model has 1 error and 1 warning"))
        #expect(run.errors.contains("to see them: swift package cambium check \(new)\n"))
        #expect(codes(ToolRun("check", new).errors).count == 2)
    }

    @Test func `a bundle is converted whole, and an option for mapping models is refused`() throws {
        let folder = try TemporaryFolder()
        let path = try bundle(in: folder)
        let run = ToolRun("convert", path, "--from", "Shop 2")
        #expect(run.code == .usage)
        #expect(run.errors.contains("--from is for a mapping model; a bundle is converted with"))
        #expect(folder.text("Shop.cambium/Shop.xml") == nil)
    }

    /// A mapping model that copies a product.
    private func mapping(in folder: TemporaryFolder) throws -> String {
        try folder.write(
            """
            <?xml version="1.0" standalone="yes"?>
            <database>
                <object type="XDDEVMAPPINGMODEL" id="z1">
                    <relationship name="entitymappings" idrefs="z2"></relationship>
                </object>
                <object type="XDDEVENTITYMAPPING" id="z2">
                    <attribute name="sourcename" type="string">Product</attribute>
                    <attribute name="destinationname" type="string">Product</attribute>
                </object>
            </database>
            """, to: "1to2.xcmappingmodel/xcmapping.xml")
        return folder.path("1to2.xcmappingmodel")
    }

    @Test func `a mapping model is read with the model and both versions, or without`() throws {
        let folder = try TemporaryFolder()
        let (model, mapping) = (try bundle(in: folder), try mapping(in: folder))
        #expect(ToolRun("convert", mapping).output == "<migration from=\"\"/>\n")
        let run = ToolRun(
            "convert", mapping, "--model", model, "--from", "Shop", "--to", "Shop 2")
        #expect(run.code == .fine)
        #expect(run.output.contains(#"<drop entity="Legacy" reason="#))
        #expect(run.output.contains(#"<drop entity="Product" property="colour" reason="#))
    }

    @Test(arguments: [
        (["--from", "Shop"], "--from needs --model and --to: "),
        (["--from", "Shop", "--to", "Shop 2"], "--from and --to need --model: "),
        (["--model", "Shop.xcdatamodeld"], "--model needs --from and --to: "),
    ])
    func `an option that is missing for a mapping model is named`(
        words: [String], message: String
    ) throws {
        let folder = try TemporaryFolder()
        let run = ToolRun(["convert", try mapping(in: folder)] + words)
        #expect(run.code == .usage)
        #expect(run.errors.hasPrefix("cambium: error: " + message))
    }

    @Test func `a version that the model does not have is named with the nearest one`() throws {
        let folder = try TemporaryFolder()
        let (model, mapping) = (try bundle(in: folder), try mapping(in: folder))
        let run = ToolRun(
            "convert", mapping, "--model", model, "--from", "Shop 1", "--to", "Shop 2")
        #expect(run.code == .usage)
        #expect(run.errors.contains("There is no version 'Shop 1' that can be read in"))
    }

    @Test func `who has frozen versions is told to freeze them again`() throws {
        let folder = try TemporaryFolder()
        let path = try bundle(in: folder)
        #expect(ToolRun("freeze", path).code == .fine)
        let run = ToolRun("convert", path)
        #expect(run.code == .fine)
        #expect(run.errors.contains("cambium freeze \(folder.path("Shop.cambium"))"))
        #expect(folder.text("Shop.cambium/cambium.lock") == nil)
    }
}
