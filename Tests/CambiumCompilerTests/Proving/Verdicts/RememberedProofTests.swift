import CambiumMigration
import CambiumModel
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// That a proof is run where it must be, and only there. What was remembered is told apart from
/// what was proven by verdicts that no proof gives: that all rows were refused.
@Suite struct RememberedProofTests {
    private let verdicts: VerdictFolder
    private let bundle: URL

    init() throws {
        verdicts = try VerdictFolder()
        bundle = verdicts.url.appendingPathComponent("Shop.cambium")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        for version in 1...3 { try write(version) }
    }

    private func write(_ version: Int, _ body: String = "") throws {
        let more = (1...version).map {
            "<attribute name=\"a\($0)\" type=\"string\" optional=\"true\"/>"
        }
        let text = """
            <model xmlns="urn:cambium:model:1" name="Shop" version="\(version)">
            <entity name="Product">\(more.joined())\(body)</entity></model>
            """
        try Data(text.utf8).write(to: bundle.appendingPathComponent("\(version).xml"))
    }

    private func compile(tool: String = "tool") -> Compilation {
        ModelCompiler.compile(bundle.path, verdicts: verdicts.cache(tool: tool))
    }

    /// Compiles, and makes every step that was proven one whose rows were all refused.
    private func compileAndMark() {
        _ = compile()
        let cache = verdicts.cache()
        for file in verdicts.files {
            let key = file.deletingPathExtension().lastPathComponent
            if cache.proof(for: key) != nil {
                cache.keep(MigrationProver.Proof(rows: 0, refusals: 1), for: key)
            }
        }
    }

    /// The versions whose steps were not proven but remembered.
    private func remembered(_ compilation: Compilation) -> [String] {
        #expect(compilation.bundle != nil)
        return compilation.diagnostics.filter { $0.code == .emptyProof }
            .map { URL(fileURLWithPath: $0.position.path).lastPathComponent }
    }

    @Test func `what has not changed is remembered`() {
        compileAndMark()
        #expect(verdicts.files.count == 3)
        #expect(remembered(compile()) == ["2.xml", "3.xml"])
    }

    @Test func `a change of a version is proven with the steps to it and from it`() throws {
        compileAndMark()
        try write(3, "<rule name=\"r\" message=\"m\">a1 != 'x'</rule>")
        #expect(remembered(compile()) == ["2.xml"])
        try write(3)
        try write(1, "<attribute name=\"z\" type=\"string\" optional=\"true\" maxLength=\"9\"/>")
        try write(2, "<attribute name=\"z\" type=\"string\" optional=\"true\" maxLength=\"9\"/>")
        try write(3, "<attribute name=\"z\" type=\"string\" optional=\"true\" maxLength=\"9\"/>")
        #expect(remembered(compile()) == [])
    }

    @Test func `layout and comments are no change`() throws {
        compileAndMark()
        try write(2, "\n  <!-- a comment -->\n")
        #expect(remembered(compile()) == ["2.xml", "3.xml"])
    }

    @Test func `another tool proves everything`() {
        compileAndMark()
        #expect(remembered(compile(tool: "another")) == [])
    }

    @Test func `a damaged verdict is proven again, and whole after it`() throws {
        compileAndMark()
        for file in verdicts.files { try Data("nonsense".utf8).write(to: file) }
        #expect(remembered(compile()) == [])
        let sizes = try verdicts.files.map { try Data(contentsOf: $0).count }
        #expect(sizes.allSatisfy { $0 > 64 })
    }

    @Test func `what fails is not remembered`() throws {
        try write(3, "<attribute name=\"price\" type=\"int32\"/>")
        #expect(compile().bundle == nil)
        #expect(compile().diagnostics.contains { $0.code == .undecidedMigration })
    }

    @Test func `what is remembered and what is proven give the same`() throws {
        let first = ModelCompiler.compile(bundle.path, emits: true, verdicts: verdicts.cache())
        let second = ModelCompiler.compile(bundle.path, emits: true, verdicts: verdicts.cache())
        let neither = ModelCompiler.compile(bundle.path, emits: true)
        #expect(first.files == neither.files && second.files == neither.files)
        #expect(!second.files.isEmpty)
        #expect(first.diagnostics == neither.diagnostics)
        #expect(second.diagnostics == neither.diagnostics)
        #expect(second.bundle?.summary == neither.bundle?.summary)
    }

    // MARK: Reports

    private func report() -> BundleReport {
        BundleReport(
            checking: bundle.path, BundleContents(of: bundle.path), verdicts: verdicts.cache())
    }

    @Test func `a report on a bundle that has not changed is the one of before`() throws {
        try write(3, "<attribute name=\"b\" type=\"bool\" optional=\"true\"/>")
        let first = report()
        #expect(first.diagnostics.contains { $0.code == .optionalBool })
        #expect(verdicts.files.count == 4)
        let again = report()
        #expect(again.diagnostics == first.diagnostics)
        #expect(again.summary == first.summary && again.remarks == first.remarks)
        let whole = BundleReport(checking: bundle.path)
        #expect(whole.diagnostics == first.diagnostics && whole.summary == first.summary)
        // Nothing else was asked: without the verdicts of the steps it is still known.
        let cache = verdicts.cache()
        for file in verdicts.files
        where cache.verdict(for: file.deletingPathExtension().lastPathComponent)?.first != "{" {
            try FileManager.default.removeItem(at: file)
        }
        _ = report()
        #expect(verdicts.files.count == 1)
    }

    @Test(arguments: ["2.xml", "cambium.lock", "notes.txt", "../Shop.cambium.json"])
    func `a report asks again when any file has changed`(name: String) throws {
        let before = BundleContents(of: bundle.path)
        let file = bundle.appendingPathComponent(name)
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? "{}"
        try Data((text + "\n").utf8).write(to: file)
        let after = BundleContents(of: bundle.path)
        #expect(before?.digest != after?.digest)
        #expect(after != nil)
    }

    @Test func `a bundle with a link is never known by its contents`() throws {
        try FileManager.default.createSymbolicLink(
            at: bundle.appendingPathComponent("4.xml"),
            withDestinationURL: bundle.appendingPathComponent("1.xml"))
        #expect(BundleContents(of: bundle.path) == nil)
        #expect(BundleContents(of: bundle.path + "x") == nil)
    }

    @Test func `a report with errors is not remembered`() throws {
        try write(3, "<attribute name=\"price\" type=\"int32\"/>")
        #expect(report().summary == nil)
        let cache = verdicts.cache()
        #expect(
            verdicts.files.allSatisfy {
                cache.verdict(for: $0.deletingPathExtension().lastPathComponent)?.first != "{"
            })
    }
}
