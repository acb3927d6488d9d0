import CambiumModel
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// The XML Schema that ships for editors.
@Suite(.serialized)
struct ModelSchemaTests {
    /// The files below a folder whose paths end in something.
    private func files(below folder: URL, _ suffix: String) -> [URL] {
        let found = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        return (found?.compactMap { $0 as? URL } ?? []).filter { $0.path.hasSuffix(suffix) }
    }

    private func validator() throws -> SchemaValidator {
        try #require(SchemaValidator(ModelSchema.text))
    }

    @Test func `the file that ships is what the compiler writes`() throws {
        let file = TestModels.package.appendingPathComponent("Models/\(ModelSchema.fileName)")
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] != nil {
            try Data(ModelSchema.text.utf8).write(to: file)
        }
        let shipped = try? String(contentsOf: file, encoding: .utf8)
        #expect(shipped == ModelSchema.text, "CAMBIUM_ACCEPT=1 writes it")
    }

    @Test func `it has the checker's elements and attributes, required where they are`() throws {
        let source = SourceText(path: "schema", bytes: Array(ModelSchema.text.utf8))
        let root = try XMLReader.read(source)
        let types = root.children(named: "xs:complexType")
        #expect(types.count == Vocabulary.rules.count)
        for (key, rule) in Vocabulary.rules {
            let name = key.replacingOccurrences(of: "/", with: "-")
            let type = try #require(types.first { $0["name"]?.value == name }, "\(key)")
            let attributes = type.children(named: "xs:attribute")
            #expect(Set(attributes.compactMap { $0["name"]?.value }) == Set(rule.attributes))
            let required = attributes.filter { $0["use"]?.value == "required" }
            #expect(Set(required.compactMap { $0["name"]?.value }) == Set(rule.required))
            let children = type.children(named: "xs:choice").flatMap {
                $0.children(named: "xs:element")
            }
            #expect(Set(children.compactMap { $0["name"]?.value }) == Set(rule.children))
            #expect((type["mixed"]?.value == "true") == rule.hasText)
        }
    }

    @Test func `everything is explained, and written in one order wherever it stands`() {
        for (key, rule) in Vocabulary.rules {
            #expect(!rule.text.isEmpty && rule.fields.allSatisfy { !$0.text.isEmpty }, "\(key)")
            let order = Vocabulary.orders[rule.name] ?? []
            #expect(Set(order).count == order.count, "\(key)")
            #expect(order.filter(rule.attributes.contains) == rule.attributes, "\(key)")
        }
    }

    @Test func `every model of the project is valid`() throws {
        let validator = try validator()
        let models = files(below: TestModels.package.appendingPathComponent("Models"), ".xml")
        let passing = files(below: TestModels.diagnosticCases, ".xml")
            .filter { $0.path.contains("/pass/") }
        #expect(models.count > 5 && passing.count > 50)
        for file in models + passing {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(validator.isValid(text), "\(file.path)")
        }
    }

    @Test func `the README's models are valid`() throws {
        let readme = try String(
            contentsOf: TestModels.package.appendingPathComponent("README.md"), encoding: .utf8)
        let blocks = readme.components(separatedBy: "```xml\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .filter { $0.contains("<model") }
        #expect(!blocks.isEmpty)
        let validator = try validator()
        for block in blocks { #expect(validator.isValid(block), "\(block)") }
    }

    @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
    func `a real model in Cambium's own spelling is valid`() throws {
        let validator = try validator()
        for path in Corpus.sample(Corpus.shorterBundles, oneIn: 5) {
            let (bundle, _) = BundleReader.read(path)
            for file in ModelConverter.ownBundle(from: bundle) where file.path.hasSuffix(".xml") {
                #expect(validator.isValid(file.contents), "\(path): \(file.path)")
            }
        }
    }

    @Test(
        arguments: [
            "<entity name='A' colour='red'/>", "<entity/>", "<entities/>",
            "<entity name='A'><attribute name='x' type='bool' optional='yes'/></entity>",
            "<entity name='A'><relationship name='x' to='A' onDelete='never'/></entity>",
            "<entity name='A'>text</entity>",
        ])
    func `what the language does not have is invalid`(body: String) throws {
        let validator = try validator()
        let model = { (body: String) in
            "<model xmlns='urn:cambium:model:1' name='Shop' version='1'>\(body)</model>"
        }
        #expect(validator.isValid(model("<entity name='A'/>")))
        #expect(!validator.isValid(model(body)))
    }

    @Test func `other namespaces may stand anywhere`() throws {
        #expect(
            try validator().isValid(
                """
                <model xmlns='urn:cambium:model:1' xmlns:x='urn:x' name='Shop' version='1' x:a='1'>
                <x:note><x:more/></x:note><entity name='A' x:colour='red'><x:note/></entity></model>
                """))
    }
}
