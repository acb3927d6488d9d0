import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

struct ModelTemplateTests {
    @Test(arguments: [("Shop", false), ("Note", false), ("Entry", false), ("Shop", true)])
    func `a new model compiles without a finding and is formatted`(
        name: String, isExample: Bool
    ) throws {
        let template = try ModelTemplate(name: name, isExample: isExample)
        #expect(template.bundleName == "\(name).cambium")
        let folder = try BundleFolder(
            [template.fileName: template.contents], name: name)
        let compilation = ModelCompiler.compile(folder.bundle.path)
        #expect(compilation.diagnostics == [])
        #expect(compilation.bundle != nil)
        let source = SourceText(path: "1.xml", bytes: Array(template.contents.utf8))
        #expect(try ModelFormatter.format(source) == template.contents)
    }

    @Test(arguments: [
        "", "1st", "two words", "a-b", "../x", "a\"b", "ManagedObject", "a<b", "_x",
    ])
    func `a name that cannot be a type's is refused`(name: String) {
        #expect(throws: ModelTemplate.UnsuitableName.self) {
            try ModelTemplate(name: name, isExample: false)
        }
    }

    @Test func `a name that the example has a type of is refused with the way out`() {
        let error = #expect(throws: ModelTemplate.UnsuitableName.self) {
            try ModelTemplate(name: "Product", isExample: true)
        }
        #expect(error?.message.contains("without the example") == true)
    }
}
