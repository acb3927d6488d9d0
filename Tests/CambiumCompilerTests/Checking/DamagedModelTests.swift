import Foundation
import Testing

@testable import CambiumCompiler

struct DamagedModelTests {
    /// A generator that a seed starts again.
    struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = state
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            return bits ^ (bits >> 31)
        }
    }

    /// Every model of the cases, so that everything of the language is damaged somewhere.
    static let models: [[UInt8]] = DiagnosticCaseTests.cases.flatMap { name in
        ["pass", "fail"].compactMap { kind in
            let file = DiagnosticCaseTests.folder
                .appendingPathComponent("\(name)/\(kind)/Shop.cambium/1.xml")
            return (try? Data(contentsOf: file)).map { [UInt8]($0) }
        }
    }

    @Test func `a damaged model is an error or another model, never a trap`() throws {
        let text = ProcessInfo.processInfo.environment["CAMBIUM_SEED"]
        let seed = text.flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        print("CAMBIUM_SEED=\(seed)")
        var random = SplitMix(state: seed)
        let words = ["\"\"", "true", "-1", "9", "Product", "sku", "<", ">", "&#0;", "💣", "\u{301}"]
        var checked = 0
        for _ in 0..<2000 {
            guard var bytes = Self.models.randomElement(using: &random), !bytes.isEmpty else {
                continue
            }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let start = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(start + Int.random(in: 0...6, using: &random), bytes.count)
                let word = words.randomElement(using: &random) ?? ""
                bytes.replaceSubrange(start..<end, with: Array(word.utf8))
            }
            let source = SourceText(path: "1.xml", bytes: bytes)
            guard let root = try? XMLReader.read(source) else { continue }
            let (model, diagnostics) = ModelChecker.check(
                ParsedModel(source: source, version: "1", root: root), bundleName: "Shop",
                previousVersion: nil, previous: nil)
            checked += 1
            #expect((model == nil) == diagnostics.hasErrors)
            #expect(diagnostics.allSatisfy { $0.position.line >= 1 && $0.position.column >= 1 })
        }
        #expect(checked > 100)
    }
}
