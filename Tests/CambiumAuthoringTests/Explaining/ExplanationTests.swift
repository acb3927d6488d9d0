import CompilerTestSupport
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Every explanation has an example that is wrong in exactly the way it says, and one that is
/// right.
struct ExplanationTests {
    static let codes: [DiagnosticCode] = DiagnosticCode.allCases

    /// What the compiler says of an example; nil where it is no model.
    private func findings(
        of example: Explanation.Example, _ code: DiagnosticCode
    ) throws -> [DiagnosticCode]? {
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
        return ModelCompiler.compile(folder.bundle.path, engine: code.engine ?? .sqlite)
            .diagnostics.map(\.code)
    }

    @Test(arguments: Corpus.sample(codes, oneIn: 3, full: 1))
    func `the wrong example has the mistake and no other`(code: DiagnosticCode) throws {
        guard let found = try findings(of: code.explanation.wrong, code) else { return }
        #expect(Set(found) == [code])
    }

    @Test(arguments: Corpus.sample(codes, oneIn: 3, full: 1))
    func `the right example has no mistake`(code: DiagnosticCode) throws {
        guard let found = try findings(of: code.explanation.right, code) else { return }
        #expect(found == [])
    }

    @Test(arguments: codes)
    func `an explanation is complete`(code: DiagnosticCode) {
        let explanation = code.explanation
        #expect(!explanation.title.isEmpty && !explanation.title.hasSuffix("."))
        #expect(explanation.meaning.hasSuffix("."))
        #expect(!explanation.remedy.isEmpty)
        #expect(explanation.wrong.text != explanation.right.text)
        #expect(explanation.text.split(separator: "\n").allSatisfy { $0.count <= 110 })
    }

    @Test func `all codes are explained, by numbers that rise`() {
        let numbers = Self.codes.map(\.rawValue)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(Explanation.all.map(\.code) == Self.codes)
    }

    @Test func `each code has a title of its own`() {
        let titles = Dictionary(grouping: Self.codes, by: \.explanation.title)
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
