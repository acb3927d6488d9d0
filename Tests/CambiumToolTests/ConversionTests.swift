import CambiumCompiler
import Foundation
import Testing

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
