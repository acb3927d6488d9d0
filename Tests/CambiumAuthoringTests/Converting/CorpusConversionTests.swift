import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Xcode's models become Cambium's own and Xcode's again, and nothing is lost.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusConversionTests {
    /// A copy of a long bundle's last two versions in a folder of its own, unless all are wanted.
    private static func slice(of path: String) throws -> URL? {
        let manager = FileManager.default
        let versions = try manager.contentsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".xcdatamodel") }.map { String($0.dropLast(12)) }
            .sorted(by: VersionOrder.precedes)
        guard !Corpus.isWhole, versions.count > 3 else { return nil }
        let folder = manager.temporaryDirectory
            .appendingPathComponent("cambium-\(UUID().uuidString)")
        let bundle = URL(fileURLWithPath: path)
        let copy = folder.appendingPathComponent(bundle.lastPathComponent)
        for version in versions.suffix(2) {
            let folder = version + ".xcdatamodel"
            let target = copy.appendingPathComponent(folder)
            try manager.createDirectory(at: target, withIntermediateDirectories: true)
            let contents = bundle.appendingPathComponent(folder)
                .appendingPathComponent("contents")
            try manager.copyItem(at: contents, to: target.appendingPathComponent("contents"))
        }
        return folder
    }

    @Test(arguments: Corpus.sample(Corpus.bundles, oneIn: 12, full: 3))
    func `a real bundle comes back from Cambium's own XML as it was`(path: String) throws {
        let folder = try Self.slice(of: path)
        defer { try? folder.map(FileManager.default.removeItem) }
        let file = URL(fileURLWithPath: path).lastPathComponent
        let (bundle, _) = BundleReader.read(
            folder?.appendingPathComponent(file).path ?? path)
        guard !bundle.versions.isEmpty else { return }
        let (own, ownDiagnostics) = try readBack(ModelConverter.ownBundle(from: bundle))
        #expect(ownDiagnostics.isEmpty, "\(ownDiagnostics.prefix(3).map(\.rendered))")
        #expect(own.name == bundle.name)
        let (back, _) = try readBack(ModelConverter.xcodeBundle(from: own))
        #expect(back.versions.map(\.version) == bundle.versions.map(\.version))
        #expect(back.current == bundle.current)
        for ((original, own), result) in zip(zip(bundle.versions, own.versions), back.versions) {
            let name = "\(path): \(original.version)"
            let written = XMLTree(try XMLReader.read(original.source), without: ["elements"])
            let restored = XMLTree(try XMLReader.read(result.source))
            let lost = restored.differences(from: written)
            #expect(lost.isEmpty, "\(name): \(lost.prefix(5))")
            let translated = XMLTree(original.root)
            let ownLost = XMLTree(own.root).differences(from: translated).filter {
                !$0.contains("xcode:bundle")
            }
            #expect(ownLost.isEmpty, "\(name): \(ownLost.prefix(5))")
        }
    }
}
