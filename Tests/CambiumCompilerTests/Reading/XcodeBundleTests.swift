import Foundation
import Testing

@testable import CambiumCompiler

/// The folders that Xcode makes.
struct XcodeBundleTests {
    private static let model = "<model><entity name=\"A\"/></model>"

    /// Reads a bundle of these versions, and what else is in its folder.
    private func read(
        _ versions: [String], current: String? = nil, others: [String: String] = [:],
        name: String = "Shop.xcdatamodeld"
    ) throws -> (bundle: ParsedBundle, codes: [DiagnosticCode]) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var files = others
        for version in versions { files["\(version).xcdatamodel/contents"] = Self.model }
        if let current {
            files[".xccurrentversion"] = "<plist version=\"1.0\"><dict>\(current)</dict></plist>"
        }
        let bundle = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        for (path, text) in files {
            let file = bundle.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let (read, diagnostics) = BundleReader.read(bundle.path)
        return (read, diagnostics.map(\.code))
    }

    private func key(_ version: String) -> String {
        "<key>_XCCurrentVersionName</key><string>\(version).xcdatamodel</string>"
    }

    @Test func `the current version is the one that is named`() throws {
        let (bundle, codes) = try read(["Shop", "Shop 2", "Shop 10"], current: key("Shop 2"))
        #expect(bundle.versions.map(\.version) == ["Shop", "Shop 2", "Shop 10"])
        #expect(bundle.chain.map(\.version) == ["Shop", "Shop 2"])
        #expect(codes == [.skippedVersion])
    }

    @Test(arguments: [nil, ""])
    func `without a name the last version is current`(current: String?) throws {
        let (bundle, codes) = try read(["Shop", "Shop 2", "Shop 10"], current: current)
        #expect(bundle.current == "Shop 10")
        #expect(bundle.chain.count == 3)
        #expect(codes.isEmpty)
    }

    @Test func `a current version that is not there is an error`() throws {
        #expect(try read(["Shop"], current: key("Shop 2")).codes == [.bundleLayout])
        #expect(try read(["Shop"], current: "<string>").codes == [.bundleLayout])
    }

    @Test func `spaces in names do not change the order`() throws {
        let (bundle, _) = try read(["s2.57.1", "s2.57. 0", "s2.9.0", "s2.56.0"])
        #expect(
            bundle.versions.map(\.version) == ["s2.9.0", "s2.56.0", "s2.57. 0", "s2.57.1"])
    }

    @Test func `the settings order the versions and name the current one`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
        for version in ["Beta", "Alpha", "Gamma"] {
            let target = bundle.appendingPathComponent("\(version).xcdatamodel")
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
            try Data(Self.model.utf8).write(to: target.appendingPathComponent("contents"))
        }
        let settings = """
            {"Shop": {"versions": ["Gamma", "Beta", "Alpha"], "current": "Beta",
             "access": "public", "codegen": {"A": "base"}}}
            """
        try Data(settings.utf8).write(to: folder.appendingPathComponent("cambium.json"))
        let (read, diagnostics) = BundleReader.read(bundle.path)
        #expect(diagnostics.map(\.code) == [.skippedVersion])
        #expect(read.chain.map(\.version) == ["Gamma", "Beta"])
        #expect(read.chain.last?.root["access"]?.value == "public")
        #expect(read.chain.last?.root.children.first?["codegen"]?.value == "base")
        #expect(read.versions.last?.root["access"] == nil)
    }

    @Test func `a name that no model can have is made one`() throws {
        let (bundle, _) = try read(["A"], name: "1st Shop.V2.xcdatamodeld")
        #expect(bundle.name == "Model1st_Shop_V2")
        #expect(bundle.versions.first?.root["name"]?.value == "Model1st_Shop_V2")
    }

    @Test func `a model alone, an empty one, and a bundle without one`() throws {
        let (bundle, codes) = try read(
            [], others: ["contents": "<model/>"], name: "Shop.xcdatamodel")
        #expect(bundle.versions.map(\.version) == ["Shop"])
        #expect(bundle.versions.first?.root.children.isEmpty == true)
        #expect(codes.isEmpty)
        #expect(try read([]).codes == [.bundleLayout])
        #expect(try read([], others: ["a.xcdatamodel/layout": ""]).codes == [.bundleLayout])
        #expect(
            try read([], others: ["a.xcdatamodel/contents": "<plist/>"]).codes == [.wrongRoot])
    }
}
