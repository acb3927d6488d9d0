import Testing

@testable import CambiumCompiler
@testable import CambiumTool

struct ExitCodeTests {
    private static let fine = "<entity name=\"A\"><attribute name=\"x\" type=\"int32\"/></entity>"
    private static let wrong = "<entity name=\"A\"><attribute name=\"x\" type=\"int\"/></entity>"
    private static let warned =
        "<entity name=\"A\"><attribute name=\"x\" type=\"bool\" optional=\"true\"/></entity>"

    @Test func `a model without errors is 0`() throws {
        let run = ToolRun("check", try TemporaryFolder().bundle(Self.fine))
        // The folder is gone before the tool looks: that is no error of the model's.
        #expect(run.code == .file)
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.fine)
        #expect(ToolRun("check", path).code == .fine)
        #expect(ToolRun("check", path).output == "Shop, version 1: no errors\n")
    }

    @Test func `a model with errors is 1, whatever the form`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.wrong)
        #expect(ToolRun("check", path).code.rawValue == 1)
        #expect(ToolRun("check", path).errors.contains("[CM401]"))
        #expect(ToolRun("check", path, "--format", "json").code.rawValue == 1)
        let sarif = ToolRun("check", path, "--format=sarif")
        #expect(sarif.code.rawValue == 1)
        #expect(sarif.output.contains("\"ruleId\": \"CM401\""))
        #expect(sarif.errors.isEmpty)
        #expect(ToolRun("diagram", path).code.rawValue == 1)
    }

    @Test(arguments: [
        ["chek"], ["check"], ["check", "--strikt"], ["check", "a.cambium", "--format", "yaml"],
        ["check", "a.cambium", "--format"], ["compile", "a.cambium"], ["new"], ["new", "a b"],
        ["sql", "a.cambium", "--from", "1"], ["diagram", "a.cambium", "b.cambium"],
        ["explain", "CM999"], ["help", "chek"], ["check", "--strict=1", "a.cambium"],
        ["format", "a.txt"], ["convert", "a.cambium", "--from", "1"],
        ["convert", "a.xcdatamodeld", "--model", "b.xcdatamodeld"],
        ["migrate"], ["migrate", "stat"], ["migrate", "status", "a.sqlite"],
        ["migrate", "status", "--model", "a.cambium"],
        ["migrate", "verify", "a.sqlite", "--model", "a.cambium"],
        ["migrate", "plan", "a.sqlite", "--model", "a.cambium", "--drift", "repair"],
        ["migrate", "verify", "--model", "a.cambium", "--to", "2"],
        ["generate", "a.cambium"], ["generate", "--output", "a"],
        ["generate", "a.cambium", "--output", "a", "--target", "A"],
    ])
    func `a wrong command line is 2`(words: [String]) {
        let run = ToolRun(words)
        #expect(run.code.rawValue == 2)
        #expect(run.errors.hasPrefix("cambium: error: "))
        #expect(run.output.isEmpty)
    }

    @Test func `warnings are 3 only when they count`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.warned)
        #expect(ToolRun("check", path).code == .fine)
        #expect(ToolRun("check", path, "--strict").code.rawValue == 3)
    }

    @Test func `a file that is in the way is 4`() throws {
        let folder = try TemporaryFolder()
        #expect(ToolRun("new", "Shop", "--in", folder.url.path).code == .fine)
        let text = folder.text("Shop.cambium/1.xml")
        #expect(ToolRun("new", "Shop", "--example", "--in", folder.url.path).code.rawValue == 4)
        #expect(folder.text("Shop.cambium/1.xml") == text)
    }

    @Test func `a file that is not formatted is 5, and stays`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.fine)
        let text = folder.text("Shop.cambium/1.xml")
        #expect(ToolRun("format", path, "--check").code.rawValue == 5)
        #expect(folder.text("Shop.cambium/1.xml") == text)
        #expect(ToolRun("format", path).code == .fine)
        #expect(folder.text("Shop.cambium/1.xml") != text)
        #expect(ToolRun("format", path, "--check").code == .fine)
    }
}
