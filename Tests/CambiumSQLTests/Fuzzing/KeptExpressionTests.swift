import Foundation
import Testing

struct KeptExpressionTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Fuzzing/Corpus/EXPRESSION").standardizedFileURL

    @Test func `every kept input of the fuzzer is stood`() throws {
        let input = try ExpressionInput()
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.count >= 20)
        for name in names.sorted() {
            let data = try Data(contentsOf: Self.folder.appendingPathComponent(name))
            let finding = input.finding(in: [UInt8](data))
            #expect(finding == nil, "\(name): \(String(decoding: data, as: UTF8.self))")
        }
    }
}
