import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// The diagram and the page of the demo's model, against accepted files.
///
/// After a change: `CAMBIUM_ACCEPT=1 swift test --filter DocumentationGoldenTests`, and read the
/// difference.
struct DocumentationGoldenTests {
    private static let tests = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test(arguments: ["Packages.mmd", "Packages.dot", "Packages.html"])
    func `a file equals the accepted one`(name: String) throws {
        let path = Self.tests.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Models/Packages/Packages.cambium").path
        let bundle = try #require(ModelCompiler.compile(path).bundle)
        let actual =
            try DiagramFormat(fileName: name).flatMap { try bundle.diagram(as: $0, path: nil) }
            ?? bundle.documentation(path: nil)
        let file = Self.tests.appendingPathComponent("Cases/Documenting/\(name)")
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(actual.utf8).write(to: file)
        }
        let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let changes = actual.split(separator: "\n").difference(
            from: expected.split(separator: "\n"))
        #expect(
            actual == expected,
            "\(changes.prefix(20)) CAMBIUM_ACCEPT=1 accepts it")
    }
}
