import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Where a suppression holds, and what happens to it.
struct SuppressionTests {
    private static let first = """
        <model xmlns="urn:cambium:model:1" name="Shop" version="1">
        <entity name="Product"><attribute name="stock" type="int32"/></entity></model>
        """

    /// The second version, with something in its elements.
    private func second(attribute: String = "", entity: String = "", model: String = "") -> String {
        """
        <model xmlns="urn:cambium:model:1" name="Shop" version="2">
        <entity name="Product"><attribute name="stock" type="int32" min="0">\(attribute)</attribute>
        <attribute name="note" type="string" optional="true"/>\(entity)</entity>\(model)</model>
        """
    }

    private func codes(_ second: String, lock: Bool = false) throws -> [String] {
        let folder = try BundleFolder(["1.xml": Self.first, "2.xml": second])
        let path = folder.bundle.path
        if lock {
            let bundle = try #require(ModelCompiler.compile(path).bundle)
            let text = try VersionFreezer.freeze(bundle, through: nil, again: [], lock: nil).text
            try Data(text.utf8).write(
                to: folder.bundle.appendingPathComponent(VersionFreezer.fileName))
        }
        return ModelCompiler.compile(path).diagnostics.map(\.code.name)
    }

    private func suppress(_ code: String) -> String {
        "<suppress code=\"\(code)\" reason=\"nobody owes stock\"/>"
    }

    @Test func `it holds in its element and in those around the finding`() throws {
        #expect(try codes(second()) == ["LQ202"])
        #expect(try codes(second(attribute: suppress("LQ202"))) == [])
        #expect(try codes(second(entity: suppress("LQ202"))) == [])
        #expect(try codes(second(model: suppress("LQ202"))) == [])
    }

    @Test func `another code, and another element, are no reason to be silent`() throws {
        #expect(try codes(second(attribute: suppress("LQ203"))) == ["LQ202", "LQ801"])
        let other =
            "<entity name=\"Sale\"><attribute name=\"day\" type=\"date\"/>"
            + suppress("LQ202") + "</entity>"
        #expect(try codes(second(model: other)) == ["LQ202", "LQ801"])
    }

    @Test func `errors are never suppressed, and then nothing is said to be unused`() throws {
        let broken = "<attribute name=\"size\" type=\"integer\"/>"
        let found = try codes(second(attribute: suppress("LQ202"), entity: broken))
        #expect(found == ["CM401"])
    }

    @Test func `a version that is frozen is not linted, and its suppressions are not unused`()
        throws
    {
        #expect(try codes(second(), lock: true) == [])
        #expect(try codes(second(attribute: suppress("LQ202")), lock: true) == [])
        #expect(try codes(second(entity: suppress("CM407")), lock: true) == ["LQ801"])
    }

    @Test(arguments: ["LQ301", "lq301"])
    func `a rule of the lint is found however it is written`(name: String) {
        #expect(DiagnosticCode(named: name) == .needlessRebuild)
    }

    @Test(arguments: ["LQ", "LQ3010", "LQ-301", "10301", "CM10301", "LQ502 "])
    func `what is no rule is none`(name: String) {
        #expect(DiagnosticCode(named: name) == nil)
    }
}
