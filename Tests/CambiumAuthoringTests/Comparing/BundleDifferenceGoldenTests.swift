import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// What `cambium diff` says of the bundle in `Cases/Comparing`, against accepted files.
///
/// After a change: `CAMBIUM_ACCEPT=1 swift test --filter BundleDifferenceGoldenTests`, and read the
/// difference.
struct BundleDifferenceGoldenTests {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Cases/Comparing")

    @Test(
        arguments: [
            ("Shop.txt", .text), ("Shop.md", .markdown), ("Shop.json", .json),
        ] as [(String, BundleDifference.Format)])
    func `a form equals the accepted one`(name: String, format: BundleDifference.Format) throws {
        let bundle = try #require(
            CheckedBundle.read(Self.folder.path + "/Shop.cambium").bundle)
        let actual = try bundle.difference(from: "1").rendered(
            as: format, relativeTo: Self.folder.path)
        let file = Self.folder.appendingPathComponent(name)
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] != nil {
            try Data(actual.utf8).write(to: file)
        }
        let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let changes = actual.split(separator: "\n").difference(
            from: expected.split(separator: "\n"))
        #expect(actual == expected, "\(changes.prefix(20)) CAMBIUM_ACCEPT=1 accepts it")
    }
}
