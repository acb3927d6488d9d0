import Foundation
import Testing

@testable import CambiumCompiler
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

    /// A bundle of Xcode whose second version asks for what its first has not.
    private func bundle(in folder: TemporaryFolder, adding attribute: String) throws -> String {
        let title = "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"
        for (number, more) in ["", attribute, attribute].enumerated() {
            try folder.write(
                "<model><entity name=\"A\" representedClassName=\"A\">\(title)\(more)</entity>"
                    + "</model>",
                to: "Shop.xcdatamodeld/Shop \(number + 1).xcdatamodel/contents")
        }
        return folder.path("Shop.xcdatamodeld")
    }

    @Test func `what needs code is not written, and the exit code says so`() throws {
        let folder = try TemporaryFolder()
        let path = try bundle(
            in: folder,
            adding: "<attribute name=\"code\" attributeType=\"String\" "
                + "regularExpressionString=\"[A-Z]+\"/>")
        let run = ToolRun("freeze", path, "--history")
        #expect(run.code == .modelHasErrors)
        #expect(run.errors.contains("to be declared by hand: Shop 2: A.code is new and required"))
        #expect(run.errors.contains("This step needs code: write <migration"))
        #expect(folder.text("Shop.history.xml") == nil)
        // Builds of bundles that were shipped so go on.
        let check = ToolRun("check", path, "--no-proof-cache")
        #expect(check.code == .fine && check.errors.contains("[CM709]"))
        let diff = ToolRun("diff", path, "Shop 1")
        #expect(diff.code == .modelHasErrors && diff.output.contains("needs code"))
        let json = ToolRun("diff", path, "Shop 1", "--format", "json")
        #expect(json.code == .modelHasErrors && json.output.contains("\"class\": \"needsCode\""))
        for more in [[], ["--json"]] {
            let verify = ToolRun(["migrate", "verify", "--model", path, "--no-proof-cache"] + more)
            #expect(verify.code == .modelHasErrors)
            #expect(verify.output.contains(more.isEmpty ? "needs code" : "needsCode"))
        }
    }

    @Test func `a step that was proven without two rows has an exit code of its own`() throws {
        let folder = try TemporaryFolder()
        let path = try bundle(
            in: folder,
            adding: "<attribute name=\"code\" attributeType=\"Integer 16\"/>"
                + "<uniquenessConstraints><uniquenessConstraint><constraint value=\"code\"/>"
                + "</uniquenessConstraint></uniquenessConstraints>")
        try folder.write(
            "<history xmlns=\"urn:cambium:model:1\" name=\"Shop\"><migration from=\"Shop 1\" "
                + "to=\"Shop 2\"><fill entity=\"A\" attribute=\"code\" with=\"0\"/></migration>"
                + "</history>", to: "Shop.history.xml")
        let check = ToolRun("check", path, "--no-proof-cache")
        #expect(check.code == .fine && check.errors.contains("[CM708]"))
        let proofs = ["--proofs", folder.path("proofs")]
        for _ in 0..<2 {
            let verify = ToolRun(["migrate", "verify", "--model", path] + proofs)
            #expect(verify.code.rawValue == 9)
            #expect(verify.output.contains("proven without two rows of A"))
        }
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
