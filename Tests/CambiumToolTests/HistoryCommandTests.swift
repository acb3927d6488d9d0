import Foundation
import Testing

@testable import CambiumTool

/// `cambium freeze --history`, and what reads its file.
struct HistoryCommandTests {
    /// A bundle of Xcode with three versions, of which the second drops an attribute.
    private func bundle(in folder: TemporaryFolder) throws -> String {
        for (number, name) in ["old", "new", "new"].enumerated() {
            try folder.write(
                "<model><entity name=\"A\" representedClassName=\"A\"><attribute name=\"\(name)\" "
                    + "optional=\"YES\" attributeType=\"String\"/></entity></model>",
                to: "Shop.xcdatamodeld/Shop \(number + 1).xcdatamodel/contents")
        }
        return folder.path("Shop.xcdatamodeld")
    }

    @Test func `the history is written once, beside the bundle, and the check reads it`() throws {
        let folder = try TemporaryFolder()
        let path = try bundle(in: folder)
        #expect(ToolRun("check", path, "--strict", "--no-proof-cache").code == .modelHasWarnings)
        let run = ToolRun("freeze", path, "--history")
        #expect(run.code == .fine)
        #expect(run.output.contains("Wrote \(folder.path("Shop.history.xml"))\n  Shop 2: A.old\n"))
        #expect(
            folder.text("Shop.history.xml")?.contains("<drop entity=\"A\" property=\"old\"") == true
        )
        #expect(ToolRun("check", path, "--strict", "--no-proof-cache").code == .fine)
        #expect(ToolRun("freeze", path, "--history").output.contains("Nothing new to declare"))
        #expect(folder.text("Shop.xcdatamodeld/cambium.lock") == nil)
    }

    @Test func `the file can lie elsewhere`() throws {
        let folder = try TemporaryFolder()
        let path = try bundle(in: folder)
        let file = folder.path("other.xml")
        let words = ["--declarations", file]
        #expect(ToolRun(["check", path] + words).code == .file)
        #expect(ToolRun(["freeze", path, "--history"] + words).code == .fine)
        #expect(folder.text("Shop.history.xml") == nil)
        #expect(ToolRun(["check", path, "--strict", "--no-proof-cache"] + words).code == .fine)
        #expect(
            ToolRun(["sql", path, "--from", "Shop 1", "--to", "Shop 3"] + words).output
                .contains("drop A.old and its data"))
        #expect(ToolRun(["check", path, path] + words).code == .usage)
        #expect(ToolRun("freeze", path, "--history", "--again", "Shop 1").code == .usage)
    }

    @Test func `a change of the file is noticed, though the check remembers what it proved`() throws
    {
        let folder = try TemporaryFolder()
        let path = try bundle(in: folder)
        let proofs = ["--proofs", folder.path("proofs"), "--strict"]
        #expect(ToolRun("freeze", path, "--history").code == .fine)
        #expect(ToolRun(["check", path] + proofs).code == .fine)
        let text = try #require(folder.text("Shop.history.xml"))
        try folder.write(text.replacing("lossy", with: "additive"), to: "Shop.history.xml")
        #expect(ToolRun(["check", path] + proofs).code == .modelHasErrors)
    }
}
