import CambiumMigration
import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

struct ExportTests {
    private static let body = """
        <entity name="A"><attribute name="x" type="int32"/>\
        <relationship name="other" to="A" inverse="others" optional="true"/>\
        <relationship name="others" to="A" inverse="other" many="true"/></entity>
        """

    /// An empty store of the bundle's current version.
    private func store(of bundle: String, in folder: TemporaryFolder) throws -> String {
        let compiled = try #require(ModelCompiler.compile(bundle).bundle)
        let path = folder.path("shop.sqlite")
        _ = try MigrationRunner(
            model: compiled.versions[0].model, statements: compiled.schema
        ).open(fileAt: path)
        return path
    }

    @Test func `a store is printed, or written to a file that appears whole`() throws {
        let folder = try TemporaryFolder()
        let bundle = try folder.bundle(Self.body)
        let store = try store(of: bundle, in: folder)
        let run = ToolRun("export", store, "--model", bundle)
        #expect(run.code == .fine)
        #expect(run.errors.isEmpty)
        #expect(run.output.hasPrefix("{\"format\":1,\n\"model\":\"Shop\",\n\"version\":\"1\",\n"))
        #expect(run.output.hasSuffix("\"entities\":{\n\"A\":[]}}\n"))
        let output = folder.path("out/shop.json")
        #expect(ToolRun("export", store, "--model", bundle, "--output", output).code == .fine)
        #expect(folder.text("out/shop.json") == run.output)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).count == 1)
    }

    @Test func `who may not read the store may not read what is written of it`() throws {
        let folder = try TemporaryFolder()
        let bundle = try folder.bundle(Self.body)
        let store = try store(of: bundle, in: folder)
        let output = folder.path("shop.json")
        for mode in [0o600, 0o644] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: store)
            #expect(ToolRun("export", store, "--model", bundle, "--output", output).code == .fine)
            let attributes = try FileManager.default.attributesOfItem(atPath: output)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
    }

    @Test(arguments: ["", ":memory:", "file:shop.sqlite", "/dev/null"])
    func `what is no path of a file is an error, and nothing is made`(path: String) throws {
        let folder = try TemporaryFolder()
        let bundle = try folder.bundle(Self.body)
        let store = try store(of: bundle, in: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: ".")
        for words in [
            ["export", path, "--model", bundle], ["migrate", "status", path, "--model", bundle],
            ["migrate", "apply", store, "--model", bundle, "--backup", path],
        ] {
            let run = ToolRun(words)
            #expect(run.code == .file)
            #expect(run.errors.contains("Give the store the path of a file"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: ".") == names)
    }

    @Test func `a step that is still undecided does not matter`() throws {
        let folder = try TemporaryFolder()
        let bundle = try folder.bundle(Self.body)
        let store = try store(of: bundle, in: folder)
        try folder.write(
            "<model xmlns=\"urn:cambium:model:1\" name=\"Shop\" version=\"2\"><entity name=\"A\">"
                + "<attribute name=\"y\" type=\"string\"/></entity></model>",
            to: "Shop.cambium/2.xml")
        #expect(ToolRun("check", bundle).code == .modelHasErrors)
        let run = ToolRun("export", store, "--model", bundle)
        #expect(run.code == .fine)
        #expect(run.output.contains("\"version\":\"1\""))
    }

    @Test func `what keeps a store from being exported is said, and no file is left`() throws {
        let folder = try TemporaryFolder()
        let bundle = try folder.bundle(Self.body)
        let store = try store(of: bundle, in: folder)
        let output = folder.path("shop.json")
        #expect(ToolRun("export", store).errors.contains("'export' needs --model MODEL"))
        #expect(ToolRun("export", "--model", bundle).code == .usage)
        #expect(ToolRun("export", folder.path("no"), "--model", bundle).code == .file)
        let ofFolder = ToolRun("export", folder.url.path, "--model", bundle)
        #expect(ofFolder.code == .file)
        #expect(ofFolder.errors.contains(" is a folder; name the store file in it."))
        #expect(ToolRun("export", store, "--model", folder.path("No.cambium")).code == .file)
        try folder.write(
            "<model xmlns=\"urn:cambium:model:1\" name=\"Shop\" version=\"1\"><entity name=\"B\"/>"
                + "</model>", to: "Shop.cambium/1.xml")
        let run = ToolRun("export", store, "--model", bundle, "--output", output)
        #expect(run.code == .file)
        #expect(run.errors.contains("which is not a version of the model Shop: it has 1."))
        try folder.write("<model", to: "Shop.cambium/1.xml")
        let broken = ToolRun("export", store, "--model", bundle, "--output", output)
        #expect(broken.code == .file)
        #expect(broken.errors.contains("[CM101]"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!names.contains { $0.contains("json") })
    }
}
