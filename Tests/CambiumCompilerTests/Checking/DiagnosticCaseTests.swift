import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Runs the folders of `Cases/Diagnostics`: `CM201-unknown-element/fail` holds a bundle and what
/// the compiler says of it in `expected.txt`; of the one in `pass` it says nothing.
///
/// After a change of a message: `CAMBIUM_ACCEPT=1 swift test --filter DiagnosticCaseTests`, and
/// read the difference.
struct DiagnosticCaseTests {
    static let folder = TestModels.diagnosticCases

    static let cases: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { !$0.hasPrefix(".") }.sorted()

    /// What the compiler says, with paths relative to the case's folder.
    private func output(of bundle: URL) -> String {
        ModelCompiler.compile(bundle.path).diagnostics.map { $0.rendered + "\n" }.joined()
            .replacingOccurrences(of: bundle.deletingLastPathComponent().path + "/", with: "")
    }

    /// The bundle of either kind.
    private func bundle(in folder: URL) -> URL {
        let xcode = folder.appendingPathComponent("Shop.xcdatamodeld")
        let isXcode = FileManager.default.fileExists(atPath: xcode.path)
        return isXcode ? xcode : folder.appendingPathComponent("Shop.cambium")
    }

    @Test(arguments: Corpus.sample(cases, oneIn: 3, full: 1))
    func `the failing example gives exactly what is expected`(name: String) throws {
        let folder = Self.folder.appendingPathComponent("\(name)/fail")
        let actual = output(of: bundle(in: folder))
        let file = folder.appendingPathComponent("expected.txt")
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] != nil {
            try Data(actual.utf8).write(to: file)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        #expect(actual == expected, "CAMBIUM_ACCEPT=1 accepts it")
        #expect(actual.contains("[\(name.prefix(5))]"))
    }

    @Test(arguments: Corpus.sample(cases, oneIn: 4, full: 1))
    func `the passing example gives nothing`(name: String) {
        let folder = Self.folder.appendingPathComponent("\(name)/pass")
        #expect(output(of: bundle(in: folder)) == "")
    }

    @Test func `every folder has a code, and every code an example that is compiled`() {
        let folders = Set(Self.cases.map { String($0.prefix(5)) })
        #expect(folders.subtracting(DiagnosticCode.allCases.map(\.name)) == [])
        // Examples that are models are compiled where explanations are tested.
        let inWords = DiagnosticCode.allCases.filter { code in
            if case .words = code.explanation.wrong { true } else { false }
        }
        #expect(Set(inWords.map(\.name)).subtracting(folders) == [])
    }
}
