import CompilerTestSupport
import Foundation
import Testing

struct KeptModelTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Fuzzing/Corpus/XML").standardizedFileURL

    @Test func `every kept input of the fuzzer is stood`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.count >= 20)
        for name in names.sorted() {
            let data = try Data(contentsOf: Self.folder.appendingPathComponent(name))
            let finding = XMLInput.finding(in: [UInt8](data))
            #expect(finding == nil, "\(name)")
        }
    }
}
