import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

struct FilesTests {
    @Test func `a file that is not UTF-8 is named with the place and the remedy`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle("<entity name=\"A\"/>")
        let text = Data("<model xmlns=\"urn:cambium:model:1\" name=\"Gr\u{FC}n\"/>".utf8)
        let latin = Data(text.filter { $0 != 0xC3 }.map { $0 == 0xBC ? 0xFC : $0 })
        try latin.write(to: folder.url.appendingPathComponent("Shop.cambium/1.xml"))
        let run = ToolRun("format", path)
        #expect(run.code == .modelHasErrors)
        #expect(run.errors.contains("1.xml:1:44: error: This is not UTF-8 [CM102]"))
        #expect(run.errors.contains("note: Save the file in UTF-8"))
        #expect(
            FileManager.default.contents(atPath: folder.path("Shop.cambium/1.xml")) == latin)
    }

    @Test func `a text that is not UTF-8 says so`() throws {
        let folder = try TemporaryFolder()
        try Data([0xFF, 0xFE, 0x41, 0x00]).write(to: folder.url.appendingPathComponent("lock"))
        let error = #expect(throws: ToolError.self) { try Files.text(of: folder.path("lock")) }
        #expect(error?.message.hasSuffix("it is not UTF-8. Save it in UTF-8.") == true)
    }

    @Test func `a file that cannot be read says why`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: ToolError.self) { try Files.bytes(of: folder.url.path) }
        #expect(error?.message.hasPrefix("\(folder.url.path) cannot be read: ") == true)
    }

    @Test func `only where leave is missing, the plugin's permission is the remedy`() throws {
        let option = "--allow-writing-to-package-directory"
        for code in [CocoaError.Code.fileWriteNoPermission, .fileWriteVolumeReadOnly] {
            #expect(Files.reason(for: CocoaError(code)).contains(option))
        }
        #expect(!Files.reason(for: CocoaError(.fileWriteOutOfSpace)).contains(option))
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        let error = #expect(throws: ToolError.self) {
            try Files.write("", to: folder.path("file/below"))
        }
        #expect(error?.message.contains("cannot be written: ") == true)
        #expect(error?.message.contains(option) == false)
    }
}
