import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

/// `cambium version new`.
struct VersionCommandTests {
    private static let first = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- The first. -->
        <model xmlns="urn:cambium:model:1" name="Shop" version="1">
          <entity name="Product"><!-- A thing. -->
            <attribute name="sku"   type='string'/>
          </entity>
        </model>

        """

    private static let second = """
        <model xmlns="urn:cambium:model:1" name="Shop"
               version="2">
          <!-- How it came about. -->
          <migration from="1">
            <fill entity="Product" attribute="stock" with="0"/>
          </migration>
          <entity name="Product">
            <attribute name="number" type="string"
                       renamedFrom="sku"/> <!-- was a number of the warehouse -->
            <attribute name="stock" type="int32">
              <suppress code="LQ204" reason="no store has any"/>
              <suppress code="CM712" reason="meant for the reader"/>
              <suppress code="LQ304" reason="short"/>
            </attribute>
          </entity>
        </model>
        """

    private static func folder(_ versions: String...) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (index, text) in versions.enumerated() {
            try folder.write(text, to: "Shop.cambium/\(index + 1).xml")
        }
        return folder
    }

    @Test func `a path with a blank is in quotes in what is proposed`() throws {
        let folder = try Self.folder(Self.first)
        let path = folder.path("Our Shop.cambium")
        try FileManager.default.moveItem(atPath: folder.path("Shop.cambium"), toPath: path)
        let run = ToolRun("version", "new", path)
        #expect(run.code == .fine, "\(run.errors)")
        #expect(run.output.contains("Next: swift package cambium check '\(path)'\n"))
        #expect("it's/a b".asShellWord == "'it'\\''s/a b'")
        #expect("Models/Läden.cambium".asShellWord == "Models/Läden.cambium")
    }

    @Test func `the current version is copied with its comments, under the next number`() throws {
        let folder = try Self.folder(Self.first)
        let path = folder.path("Shop.cambium")
        let run = ToolRun("version", "new", path)
        #expect(run.code == .fine, "\(run.errors)")
        #expect(run.output.contains("Created \(path)/2.xml, a copy of version 1."))
        #expect(
            folder.text("Shop.cambium/2.xml")
                == Self.first.replacingOccurrences(of: "version=\"1\">", with: "version=\"2\">"))
        #expect(folder.text("Shop.cambium/1.xml") == Self.first)
        #expect(folder.text("Shop.cambium/cambium.lock") == nil)
        #expect(ToolRun("check", path).code == .fine)
    }

    @Test func `what a version says about the one before is left out`() throws {
        let folder = try Self.folder(Self.first, Self.second)
        #expect(ToolRun("version", "new", folder.path("Shop.cambium")).code == .fine)
        #expect(
            folder.text("Shop.cambium/3.xml") == """
                <model xmlns="urn:cambium:model:1" name="Shop"
                       version="3">
                  <!-- How it came about. -->
                  <entity name="Product">
                    <attribute name="number" type="string"/> <!-- was a number of the warehouse -->
                    <attribute name="stock" type="int32">
                      <suppress code="LQ304" reason="short"/>
                    </attribute>
                  </entity>
                </model>
                """)
    }

    @Test func `the version that is copied is frozen where that is asked for`() throws {
        let folder = try Self.folder(Self.first)
        let path = folder.path("Shop.cambium")
        let run = ToolRun("version", "new", path, "--freeze")
        #expect(run.code == .fine)
        #expect(run.output.contains("Froze 1"))
        #expect(folder.text("Shop.cambium/cambium.lock")?.contains("end 1") == true)
        try folder.write(
            Self.first.replacingOccurrences(of: "'string'", with: "'int32'"),
            to: "Shop.cambium/1.xml")
        #expect(ToolRun("check", path).errors.contains("[CM705]"))
    }

    @Test func `a version that cannot be frozen is not copied`() throws {
        let folder = try Self.folder(Self.first)
        let path = folder.path("Shop.cambium")
        #expect(ToolRun("freeze", path).code == .fine)
        try folder.write(
            Self.first.replacingOccurrences(of: "'string'", with: "'int32'"),
            to: "Shop.cambium/1.xml")
        #expect(ToolRun("version", "new", path, "--freeze").code == .modelHasErrors)
        #expect(folder.text("Shop.cambium/2.xml") == nil)
    }

    @Test func `a version of Xcode's is copied with its folder, and is the current one then`()
        throws
    {
        let folder = try TemporaryFolder()
        let contents = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Product" representedClassName="Product" syncable="YES">
                    <attribute name="sku" optional="YES" attributeType="String" elementID="number"/>
                </entity>
            </model>
            """
        try folder.write(contents, to: "Shop.xcdatamodeld/Shop.xcdatamodel/contents")
        let path = folder.path("Shop.xcdatamodeld")
        for name in ["Shop 2", "Shop 3"] {
            #expect(ToolRun("version", "new", path).code == .fine)
            #expect(folder.text("Shop.xcdatamodeld/\(name).xcdatamodel/contents") == contents)
            #expect(
                folder.text("Shop.xcdatamodeld/.xccurrentversion")?
                    .contains("<string>\(name).xcdatamodel</string>") == true)
        }
        #expect(ToolRun("check", path).code == .fine)
    }

    @Test func `a version after the current one is not written over`() throws {
        let folder = try Self.folder(Self.first, Self.second)
        try folder.write(
            "{\"Shop\": {\"current\": \"1\"}}", to: "cambium.json")
        let run = ToolRun("version", "new", folder.path("Shop.cambium"))
        #expect(run.code == .modelHasErrors)
        #expect(run.errors.contains("There is a version after the current one already: '2'"))
        #expect(folder.text("Shop.cambium/2.xml") == Self.second)
    }

    @Test func `what the settings have to say is told`() throws {
        let folder = try Self.folder(Self.first)
        try folder.write("{\"Shop\": {\"versions\": [\"1\"]}}", to: "cambium.json")
        let run = ToolRun("version", "new", folder.path("Shop.cambium"))
        #expect(run.output.contains("Add \"2\" to the versions in the settings of the bundle."))
    }

    @Test func `the words on the command line are checked`() throws {
        #expect(ToolRun("version").code == .usage)
        #expect(ToolRun("version", "old", "a").code == .usage)
        #expect(ToolRun("version", "new").code == .usage)
        #expect(ToolRun("version", "new", "/nowhere/Shop.cambium").code == .file)
        let folder = try Self.folder("<model")
        #expect(ToolRun("version", "new", folder.path("Shop.cambium")).code == .modelHasErrors)
    }
}
