import Foundation
import Testing

@testable import CambiumCompiler
import CambiumModel

struct GeneratedFormatTests {
    private static let cases = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Cases/Emitting")

    @Test func `the format's name is the hash of all accepted Swift`() throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: Self.cases.path)
            .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("/Extensions.swift") }.sorted()
        #expect(files.count > 60)
        let texts = try files.map { file in
            let text = try String(
                contentsOf: Self.cases.appendingPathComponent(file), encoding: .utf8)
            return "\(file)\n\(text)"
        }
        let hash = "f" + SHA256.hexadecimal(of: texts.joined()).prefix(8)
        #expect(
            SwiftEmitter.format == hash,
            """
            What the tool writes has changed, so its format has another name. Write \(hash) in \
            Sources/CambiumModel/Definition/GeneratedFormat.swift
            """)
    }

    @Test func `generated code names the format`() throws {
        let model = try #require(EmitterInput.shop.files().first)
        #expect(
            model.contents.contains("format: GeneratedFormat.\(SwiftEmitter.format)"))
    }

    @Test func `the first line tells that Cambium generated a file, and of which bundle`() throws {
        for file in EmitterInput.shop.files() {
            #expect(SwiftFile.isGenerated(file.contents))
            #expect(SwiftFile.isGenerated(file.contents, from: "Shop.cambium"))
            #expect(!SwiftFile.isGenerated(file.contents, from: "op.cambium"))
            #expect(!SwiftFile.isGenerated("\n" + file.contents))
        }
    }
}
