import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Every explanation has an example that is wrong in exactly the way it says, and one that is
/// right.
struct ExplanationTests {
    static let codes: [DiagnosticCode] = DiagnosticCode.allCases

    /// What the compiler says of an example; nil where it is no model.
    private func findings(of example: DiagnosticCode.Example) throws -> [DiagnosticCode]? {
        func version(_ number: Int, _ body: String) -> String {
            """
            <model xmlns="urn:cambium:model:1" name="Shop" version="\(number)">
            \(body)
            </model>
            """
        }
        let files: [String: String]
        switch example {
        case .words: return nil
        case .file(let text): files = ["1.xml": text]
        case .model(let body): files = ["1.xml": version(1, body)]
        case .versions(let first, let second):
            files = ["1.xml": version(1, first), "2.xml": version(2, second)]
        }
        let folder = try BundleFolder(files)
        return ModelCompiler.compile(folder.bundle.path).diagnostics.map(\.code)
    }

    @Test(arguments: codes)
    func `the wrong example has the mistake and no other`(code: DiagnosticCode) throws {
        guard let found = try findings(of: code.wrong) else { return }
        #expect(Set(found) == [code])
    }

    @Test(arguments: codes)
    func `the right example has no mistake`(code: DiagnosticCode) throws {
        guard let found = try findings(of: code.right) else { return }
        #expect(found == [])
    }

    @Test(arguments: codes)
    func `an explanation is complete`(code: DiagnosticCode) {
        #expect(!code.title.isEmpty && !code.title.hasSuffix("."))
        #expect(code.meaning.hasSuffix("."))
        #expect(!code.remedy.isEmpty)
        #expect(code.wrong.text != code.right.text)
        #expect(code.explanationText.split(separator: "\n").allSatisfy { $0.count <= 110 })
    }

    @Test func `all codes are listed, by numbers that rise`() throws {
        let numbers = Self.codes.map(\.rawValue)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/CambiumCompiler/Diagnostics/Codes")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let texts = try files.map {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }
        let declared = texts.map { $0.components(separatedBy: " = DiagnosticCode(").count - 1 }
        #expect(declared.reduce(0, +) == numbers.count)
    }

    @Test func `each code has a title of its own`() {
        let titles = Dictionary(grouping: Self.codes, by: \.title)
        #expect(titles.filter { $0.value.count > 1 }.isEmpty)
    }

    @Test(arguments: ["CM502", "cm502", "502"])
    func `a code is found however it is written`(name: String) {
        #expect(DiagnosticCode(named: name) == .unknownInverse)
    }

    @Test(arguments: ["", "CM", "CM1", "CM5020", "inverse", "CM-502", "CM 502"])
    func `what is no code is none`(name: String) {
        #expect(DiagnosticCode(named: name) == nil)
    }
}
