import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

struct BundleReaderTests {
    @Test func `versions are in natural order`() throws {
        let folder = try BundleFolder(["10.xml": "<a/>", "9.xml": "<a/>", "1.xml": "<a/>"])
        let (bundle, diagnostics) = BundleReader.read(folder.bundle.path)
        #expect(diagnostics.isEmpty)
        #expect(bundle.name == "Shop")
        #expect(bundle.versions.map(\.version) == ["1", "9", "10"])
    }

    @Test(arguments: [
        ["1", "2", "10"], ["1.2", "1.10"], ["v9", "v10"], ["1", "1.1", "1a"], ["a", "b"],
        ["2", "99999999999999999999999999999999"], ["1", "01", "2"],
    ])
    func `runs of digits compare as numbers`(names: [String]) {
        #expect(names.reversed().sorted(by: VersionOrder.precedes) == names)
    }

    @Test func `one bad version does not hide what is wrong with another`() throws {
        let folder = try BundleFolder(["1.xml": "<a>", "2.xml": "<!DOCTYPE a>", "3.xml": "<a/>"])
        let (bundle, diagnostics) = BundleReader.read(folder.bundle.path + "/")
        #expect(bundle.versions.map(\.version) == ["3"])
        #expect(diagnostics.map(\.code) == [.malformed, .documentType])
    }

    @Test func `a link out of the bundle is refused and one within it is followed`() throws {
        let folder = try BundleFolder(["1.xml": "<a/>"])
        let outside = folder.url.appendingPathComponent("secret.xml")
        try Data("<secret/>".utf8).write(to: outside)
        try FileManager.default.createSymbolicLink(
            at: folder.bundle.appendingPathComponent("2.xml"), withDestinationURL: outside)
        try FileManager.default.createSymbolicLink(
            atPath: folder.bundle.appendingPathComponent("3.xml").path,
            withDestinationPath: "1.xml")
        let (bundle, diagnostics) = BundleReader.read(folder.bundle.path)
        #expect(bundle.versions.map(\.version) == ["1", "3"])
        #expect(diagnostics.map(\.code) == [.bundleLayout])
    }

    @Test func `a folder, a pipe and an enormous file in place of a version are refused`() throws {
        let folder = try BundleFolder(["1.xml": "<a/>"])
        try FileManager.default.createDirectory(
            at: folder.bundle.appendingPathComponent("2.xml"), withIntermediateDirectories: true)
        #expect(mkfifo(folder.bundle.appendingPathComponent("3.xml").path, 0o600) == 0)
        let large = folder.bundle.appendingPathComponent("4.xml")
        #expect(FileManager.default.createFile(atPath: large.path, contents: nil))
        let handle = try FileHandle(forWritingTo: large)
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()
        let (bundle, diagnostics) = BundleReader.read(folder.bundle.path)
        #expect(bundle.versions.map(\.version) == ["1"])
        #expect(diagnostics.map(\.code) == [.bundleLayout, .bundleLayout, .limitExceeded])
    }

    @Test(arguments: ["/nowhere/Shop.cambium", "/tmp/Shop.xml", "", "/dev/null.cambium"])
    func `a path that is no bundle is an error`(path: String) {
        let (bundle, diagnostics) = BundleReader.read(path)
        #expect(bundle.versions.isEmpty)
        #expect(diagnostics.map(\.code) == [.bundleLayout])
    }
}
