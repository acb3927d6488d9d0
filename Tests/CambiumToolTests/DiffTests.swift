import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

struct DiffTests {
    private func model(_ version: Int, _ body: String) -> String {
        "<model xmlns=\"urn:cambium:model:1\" name=\"Shop\" version=\"\(version)\">"
            + "<entity name=\"A\"><attribute name=\"x\" type=\"int32\"/>\(body)</entity></model>"
    }

    private func folder(_ second: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(model(1, ""), to: "Shop.cambium/1.xml")
        try folder.write(model(2, second), to: "Shop.cambium/2.xml")
        return folder
    }

    @Test func `it prints, writes a file, and takes versions`() throws {
        let folder = try folder("<attribute name=\"y\" type=\"int64\" default=\"0\"/>")
        let path = folder.path("Shop.cambium")
        let run = ToolRun("diff", path)
        #expect(run.code == .fine && run.errors.isEmpty)
        #expect(run.output.hasPrefix("Shop, from version 1 to 2: additive\n"))
        #expect(run.output.contains("changed in constant time"))
        #expect(ToolRun("diff", path, "1", "2").output == run.output)
        let file = folder.path("diff.md")
        #expect(ToolRun("diff", path, "--format", "markdown", "--output", file).output.isEmpty)
        #expect(folder.text("diff.md")?.hasPrefix("## Shop: version 1 to 2\n") == true)
        #expect(ToolRun("diff", path, "--format", "json").output.hasPrefix("{\n  \"format\": 1,"))
    }

    @Test func `two bundles are compared`() throws {
        let (old, new) = (
            try folder(""), try folder("<attribute name=\"y\" type=\"int64\" default=\"0\"/>")
        )
        let paths = (old.path("Shop.cambium"), new.path("Shop.cambium") + "/")
        let run = ToolRun("diff", paths.0, paths.1)
        #expect(run.code == .fine)
        #expect(run.output.contains("Add A.y"))
        #expect(ToolRun("diff", paths.0, paths.1, "1", "1").output.contains("nothing changed"))
    }

    @Test func `a step that is not decided is shown, and the model has errors`() throws {
        let folder = try folder("<attribute name=\"y\" type=\"int32\"/>")
        let run = ToolRun("diff", folder.path("Shop.cambium"))
        #expect(run.code == .modelHasErrors)
        #expect(run.output.contains("from version 1 to 2: undecided"))
        #expect(run.output.contains("<fill entity=\"A\" attribute=\"y\""))
    }

    @Test func `a version with errors is reported and not compared`() throws {
        let folder = try folder("<attribute name=\"y\" type=\"integer\"/>")
        let run = ToolRun("diff", folder.path("Shop.cambium"))
        #expect(run.code == .modelHasErrors)
        #expect(run.errors.contains("[CM401]") && run.output.isEmpty)
    }

    @Test(arguments: [["7"], ["2", "1"], ["1", "2", "3"], ["--format", "yaml"]])
    func `a wrong command line is 2`(words: [String]) throws {
        let folder = try folder("")
        let run = ToolRun(["diff", folder.path("Shop.cambium")] + words)
        #expect(run.code == .usage)
        #expect(run.errors.contains("Usage: cambium diff"))
    }

    @Test func `a bundle that is not there is 4`() {
        #expect(ToolRun("diff", "/nowhere/Shop.cambium").code == .file)
    }
}
