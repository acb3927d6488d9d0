import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

struct ProofFolderTests {
    private static let body =
        "<entity name=\"A\"><attribute name=\"x\" type=\"string\" optional=\"true\"/></entity>"

    private func proofs(in folder: TemporaryFolder) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path("Proofs"))
        return (names ?? []).sorted()
    }

    @Test func `a second build of the plugin's proves nothing and writes nothing`() throws {
        let folder = try TemporaryFolder()
        let words = [
            "compile", try folder.bundle(Self.body), "--output", folder.path("Out"), "--proofs",
            folder.path("Proofs"),
        ]
        #expect(ToolRun(words).code == .fine)
        let known = proofs(in: folder)
        #expect(known.count == 1)
        let past = Date(timeIntervalSince1970: 1000)
        let files =
            known.map { "Proofs/\($0)" }
            + ["Model", "Entities", "Validation", "Migrations"].map { "Out/Shop\($0).swift" }
        for name in files {
            try FileManager.default.setAttributes(
                [.modificationDate: past], ofItemAtPath: folder.path(name))
        }
        #expect(ToolRun(words).code == .fine)
        #expect(proofs(in: folder) == known)
        for name in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
            #expect(attributes[.modificationDate] as? Date == past, "\(name)")
        }
    }

    @Test func `nothing is remembered where that is not wanted`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.body)
        let run = ToolRun("check", path, "--proofs", folder.path("Proofs"), "--no-proof-cache")
        #expect(run.code == .fine)
        #expect(proofs(in: folder).isEmpty)
        #expect(ToolRun("check", path).code == .fine)
    }

    @Test func `a folder that nobody may write to changes nothing`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.body)
        try folder.write("", to: "File")
        let plain = ToolRun("check", path)
        let run = ToolRun("check", path, "--proofs", folder.path("File/Proofs"))
        #expect(run.code == .fine)
        #expect(run.output == plain.output && run.errors == plain.errors)
        try FileManager.default.createDirectory(
            atPath: folder.path("Proofs"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o555])
        let other = ToolRun("check", path, "--proofs", folder.path("Proofs"))
        #expect(other.output == plain.output && other.errors == plain.errors)
    }

    @Test func `reports keep the order of the command line`() throws {
        let folder = try TemporaryFolder()
        let names = ["Small", "Large", "Middle"]
        for (name, count) in zip(names, [1, 30, 10]) {
            let entities = (0..<count).map {
                "<entity name=\"A\($0)\"><attribute name=\"x\" type=\"string\"/></entity>"
            }
            try folder.write(
                "<model xmlns=\"urn:cambium:model:1\" name=\"\(name)\" version=\"1\">"
                    + entities.joined() + "</model>", to: "\(name).cambium/1.xml")
        }
        let words = ["check"] + names.map { folder.path("\($0).cambium") }
        let expected = names.map { "\($0), version 1: no errors\n" }.joined()
        #expect(ToolRun(words).output == expected)
        let remembering = words + ["--proofs", folder.path("Proofs")]
        #expect(ToolRun(remembering).output == expected)
        #expect(ToolRun(remembering).output == expected)
    }

    @Test func `the user's folder is in the user's cache`() throws {
        let folder = try #require(ProofFolder.ofUser)
        #expect(folder.hasPrefix("/") && folder.hasSuffix("/cambium/proofs"))
    }
}
