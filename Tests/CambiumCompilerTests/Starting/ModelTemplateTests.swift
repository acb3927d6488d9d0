import Foundation
import Testing

@testable import CambiumCompiler

struct ModelTemplateTests {
    @Test(arguments: [false, true])
    func `a new model compiles without a finding and is formatted`(isExample: Bool) throws {
        let template = try ModelTemplate(name: "Shop", isExample: isExample)
        #expect(template.bundleName == "Shop.cambium")
        let folder = try BundleReaderTests.Folder([template.fileName: template.contents])
        let compilation = ModelCompiler.compile(folder.bundle.path)
        #expect(compilation.diagnostics == [])
        #expect(compilation.bundle != nil)
        let source = SourceText(path: "1.xml", bytes: Array(template.contents.utf8))
        #expect(try ModelFormatter.format(source) == template.contents)
    }

    @Test(arguments: [
        "", "1st", "two words", "a-b", "../x", "a\"b", "ManagedObject", "Note", "a<b", "_x",
    ])
    func `a name that cannot be a type's is refused`(name: String) {
        #expect(throws: ModelTemplate.UnsuitableName.self) {
            try ModelTemplate(name: name, isExample: false)
        }
    }
}
