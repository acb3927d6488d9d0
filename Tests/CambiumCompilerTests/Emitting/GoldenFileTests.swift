import Foundation
import Testing

@testable import CambiumCompiler

@Suite("Emitted files equal the accepted ones")
struct GoldenFileTests {
    private static let cases: [(name: String, input: EmitterInput)] = [
        ("Shop", .shop), ("Mixed", .mixed), ("Expressions", .expressions), ("Parts", .parts),
    ]

    @Test("A model's files are the accepted ones", arguments: cases.map(\.name))
    func golden(name: String) throws {
        let input = try #require(Self.cases.first { $0.name == name }?.input)
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Cases/Emitting/\(name)")
        for file in input.files() {
            let url = folder.appendingPathComponent(file.name)
            if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] == "1" {
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
                try Data(file.contents.utf8).write(to: url)
                continue
            }
            let expected = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
            if expected != file.contents {
                Issue.record(
                    """
                    \(name)/\(file.name) differs from the accepted file:
                    \(Self.difference(from: expected, to: file.contents))
                    Accept it with: CAMBIUM_ACCEPT=1 swift test --filter GoldenFileTests
                    """)
            }
        }
    }

    /// Lines that are gone and lines that are new.
    static func difference(from old: String, to new: String) -> String {
        let oldLines = old.components(separatedBy: "\n")
        let changes = new.components(separatedBy: "\n").difference(from: oldLines)
        return changes.prefix(40).map { change in
            switch change {
            case .remove(let offset, let line, _): "-\(offset + 1): \(line)"
            case .insert(let offset, let line, _): "+\(offset + 1): \(line)"
            }
        }.joined(separator: "\n")
    }

    @Test("Two runs give the same text", arguments: cases.map(\.name))
    func deterministic(name: String) throws {
        let input = try #require(Self.cases.first { $0.name == name }?.input)
        let first = input.files()
        for _ in 0..<3 { #expect(input.files() == first) }
    }

    @Test("The names of the files come from the bundle alone")
    func fileNames() {
        #expect(
            SwiftEmitter.fileNames(ofBundle: "Shop.cambium") == [
                "ShopModel.swift", "ShopEntities.swift", "ShopValidation.swift",
                "ShopMigrations.swift",
            ])
        #expect(
            EmitterInput.shop.files().map(\.name)
                == SwiftEmitter.fileNames(ofBundle: "Shop.cambium"))
    }
}
