import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// The versions before the current one, as values in the generated code.
struct EarlierVersionsTests {
    /// The text of the model of a bundle with three versions.
    private func modelText(settings: String?) throws -> String {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = folder.appendingPathComponent("Shop.cambium")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        for version in 1...3 {
            let attributes = (1...version).map {
                "<attribute name=\"a\($0)\" type=\"string\" optional=\"true\"/>"
            }
            let text = """
                <model xmlns="urn:cambium:model:1" name="Shop" version="\(version)">
                <entity name="Product">\(attributes.joined())</entity>
                <entity name="Tag"/></model>
                """
            try Data(text.utf8).write(to: bundle.appendingPathComponent("\(version).xml"))
        }
        if let settings {
            try Data(settings.utf8).write(to: folder.appendingPathComponent("cambium.json"))
        }
        let compilation = ModelCompiler.compile(bundle.path, emits: true)
        #expect(!compilation.diagnostics.hasErrors)
        return compilation.files.first?.contents ?? ""
    }

    @Test func `they are there where the settings ask for them, and share their entities`() throws {
        let text = try modelText(settings: "{\"Shop\": {\"earlierVersions\": true}}")
        #expect(text.contains("static var earlierVersions: [Model] {"))
        #expect(text.contains("1\"Shop\"\"2\"[]"))
        // Two of Product, one of Tag.
        #expect(text.contains("earlierEntities[0], earlierEntities[1]]"))
        #expect(text.contains("earlierEntities[2], earlierEntities[1]]"))
        #expect(!text.contains("earlierEntities[3]"))
    }

    @Test func `they are not there unless they are asked for`() throws {
        #expect(!(try modelText(settings: nil).contains("earlier")))
    }

    // MARK: Which versions have shipped

    /// The text of the model of a bundle with two versions.
    private func twoVersions(freezing last: String?) throws -> String {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = folder.appendingPathComponent("Shop.cambium")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        for version in 1...2 {
            let text = """
                <model xmlns="urn:cambium:model:1" name="Shop" version="\(version)">
                <entity name="Product"><attribute name="sku" type="string"/>
                \(version == 1 ? "" : "<attribute name=\"n\" type=\"int32\" optional=\"true\"/>")
                </entity></model>
                """
            try Data(text.utf8).write(to: bundle.appendingPathComponent("\(version).xml"))
        }
        if let last {
            let compiled = try #require(ModelCompiler.compile(bundle.path).bundle)
            let lock = try VersionFreezer.freeze(compiled, through: last, lock: nil)
            try Data(lock.text.utf8).write(
                to: bundle.appendingPathComponent(VersionFreezer.fileName))
        }
        let compilation = ModelCompiler.compile(bundle.path, emits: true)
        #expect(!compilation.diagnostics.hasErrors)
        return compilation.files.first?.contents ?? ""
    }

    @Test func `the generated code has the definitions of drafts before it, and of no others`()
        throws
    {
        let definition = #"1"Shop""1"[{"Product"attributes[{"sku"string}]}]"#
        let open = try twoVersions(freezing: nil)
        #expect(open.contains("drafts: drafts"))
        #expect(open.contains("\"1\": #\"\(definition)\"#"))
        #expect(!open.contains("isFrozen"))
        let locked = try twoVersions(freezing: "1")
        #expect(!locked.contains("drafts") && !locked.contains("isFrozen"))
        let shipped = try twoVersions(freezing: "2")
        #expect(!shipped.contains("drafts") && shipped.contains("isFrozen: true"))
    }
}
