import CompilerTestSupport
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
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        print("CAMBIUM_SEED=\(seed)")
        var random = SplitMix(state: seed)
        let words = ["\"\"", "true", "-1", "9", "Product", "sku", "<", ">", "&#0;", "💣", "\u{301}"]
        var checked = 0
        for _ in 0..<(Corpus.isWhole ? 20_000 : 800) {
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

    /// A slice of everything, another one for each seed; the long run takes all of it.
    private func isInSlice(_ random: inout SplitMix, oneIn count: Int) -> Bool {
        Corpus.isWhole || Int.random(in: 0..<count, using: &random) == 0
    }

    private func makeRandom() -> SplitMix {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        print("CAMBIUM_SEED=\(seed)")
        return SplitMix(state: seed)
    }

    /// Whether a file that ends too early is refused at a place in it.
    private func isRefused(_ bytes: ArraySlice<UInt8>) -> Bool {
        let source = SourceText(path: "1.xml", bytes: Array(bytes))
        do throws(Diagnostic) {
            _ = try XMLReader.read(source)
            return false
        } catch {
            return error.isError && error.position.line >= 1 && error.position.column >= 1
        }
    }

    @Test func `a fixture that is cut off anywhere before its end is an error`() {
        var random = makeRandom()
        var checked = 0
        for bytes in Self.models where bytes.count < 10_240 {
            // Some fixtures are broken already; what is cut off of them is not better.
            guard let end = bytes.lastIndex(of: UInt8(ascii: ">")) else { continue }
            for length in 0..<end where isInSlice(&random, oneIn: 120) {
                #expect(isRefused(bytes[..<length]), "\(length) bytes")
                checked += 1
            }
        }
        #expect(checked > 200)
    }

    @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
    func `a real model that is cut off is an error`() throws {
        var random = makeRandom()
        let folder = Corpus.folder.appendingPathComponent("models")
        let walk = FileManager.default.enumerator(atPath: folder.path)
        let files = (walk?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix("/contents") }
        var checked = 0
        for file in files where isInSlice(&random, oneIn: 20) {
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
            guard let end = bytes.lastIndex(of: UInt8(ascii: ">")) else { continue }
            for _ in 0..<(Corpus.isWhole ? 100 : 5) {
                let length = Int.random(in: 0..<end, using: &random)
                #expect(isRefused(bytes[..<length]), "\(file): \(length) bytes")
                checked += 1
            }
        }
        #expect(checked > 5)
    }
}
