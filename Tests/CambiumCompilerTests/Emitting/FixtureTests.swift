import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Each folder in `Cases/Emitting/Models` is a case: a model's bundle, and beside it what it
/// becomes, in `Swift` and `SQL`. A new folder is a new case.
@Suite("Models become the accepted Swift and SQL")
struct FixtureTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Cases/Emitting/Models")

    private static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { !$0.hasPrefix(".") }.sorted()

    @Test("There are cases")
    func cases() { #expect(Self.names.count >= 10) }

    @Test("A model becomes the accepted files", arguments: names)
    func golden(name: String) throws {
        let folder = Self.folder.appendingPathComponent(name)
        let bundles = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".cambium") || $0.hasSuffix(".xcdatamodeld") }
        #expect(bundles.count == 1, "A case has one bundle")
        let path = folder.appendingPathComponent(try #require(bundles.first)).path
        let compilation = ModelCompiler.compile(path)
        let bundle = try #require(
            compilation.bundle, "\(compilation.diagnostics.map(\.rendered))")
        let swift = bundle.swiftFiles(relativeTo: folder.path)
            .map { ($0.name, GoldenFileTests.withoutVersion($0.contents)) }
        try check(swift, folder.appendingPathComponent("Swift"))
        try check(bundle.sqlFiles(), folder.appendingPathComponent("SQL"))
        guard bundle.versions.last?.engines.contains(.postgres) == true else { return }
        #expect(bundle.serverMigrations.map(\.to) == bundle.migrations.map(\.to))
        try check(bundle.sqlFiles(on: .postgres), folder.appendingPathComponent("PostgreSQL"))
    }

    private func check(_ files: [(String, String)], _ folder: URL) throws {
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] == "1" {
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, contents) in files {
                try Data(contents.utf8).write(to: folder.appendingPathComponent(name))
            }
            return
        }
        let accepted = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(accepted.filter { !$0.hasPrefix(".") }) == Set(files.map(\.0)))
        for (name, contents) in files {
            let expected =
                (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8))
                ?? ""
            guard expected != contents else { continue }
            Issue.record(
                """
                \(name) differs from the accepted file:
                \(GoldenFileTests.difference(from: expected, to: contents))
                Accept it with: CAMBIUM_ACCEPT=1 swift test --filter FixtureTests
                """)
        }
    }
}
