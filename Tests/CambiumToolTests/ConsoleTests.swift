import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

/// Output that takes nothing.
struct ConsoleTests {
    private let console = Console(
        write: { _ throws(ToolError) in throw .file("It is full.") }, writeError: { _ in })

    @Test(arguments: [
        ["--version"], ["help"], ["--help"], ["explain"], ["import-coredata", "--help"],
    ])
    func `output that cannot be written is exit code 4`(words: [String]) {
        #expect(Tool.run(words, console) == .file)
    }

    @Test func `an export that cannot be printed to its end is exit code 4`() throws {
        let folder = try TemporaryFolder()
        let bundle = try folder.bundle("<entity name=\"Item\"/>")
        #expect(Tool.run(["diagram", bundle], console) == .file)
        #expect(Tool.run(["sql", bundle], console) == .file)
    }

    #if os(Linux)
        @Test func `a full disk is an error with a remedy, not the end of the program`() throws {
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let error = #expect(throws: ToolError.self) { try Console.write("text", to: full) }
            #expect(error?.exitCode == .file)
            #expect(
                error?.message
                    == "The output cannot be written: No space left on device. Make room, "
                    + "or write it elsewhere.")
        }
    #endif
}
