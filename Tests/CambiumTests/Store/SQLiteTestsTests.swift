import Foundation
import Testing

/// Which tests of the runtime stay on SQLite when the others run on a server: it shows where they
/// become more.
struct SQLiteTestsTests {
    /// A function that is a test, or a suite, with what its source says.
    private struct Part {
        let name: String
        let reason: String?
        var namesSQLite = false
    }

    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The suites and tests in a file: each begins with its attribute and ends where the next one
    /// begins.
    private static func parts(of source: String) -> [Part] {
        let beginning = /@(?:Suite|Test)\b/
        let starts = source.ranges(of: beginning).map(\.lowerBound) + [source.endIndex]
        let head = source[..<starts[0]]
        var parts = [Part(name: "", reason: nil, namesSQLite: namesSQLite(head))]
        for (start, end) in zip(starts, starts.dropFirst()) {
            let text = source[start..<end]
            let name = text.firstMatch(of: /(?:struct|class|func)\s+(`[^`]+`|\w+)/)?.1 ?? "?"
            let reason = text.firstMatch(of: /\.onSQLite\(\s*"([^"]+)"\s*\)/)?.1
            parts.append(
                Part(
                    name: String(name).replacing("`", with: ""), reason: reason.map(String.init),
                    namesSQLite: namesSQLite(text)))
        }
        return parts
    }

    /// Whether a test makes stores of SQLite, whatever the tests run on.
    private static func namesSQLite(_ text: some StringProtocol) -> Bool {
        String(text).contains(/\b(?:at|to|on|location): \.(?:file\(|memory\b|sqlite\b)/)
    }

    @Test func `tests that stay on SQLite are listed with their reasons, and no other one does`()
        throws
    {
        let files = try #require(
            FileManager.default.enumerator(at: Self.folder, includingPropertiesForKeys: nil))
        var lines: [String] = []
        for case let file as URL in files where file.lastPathComponent.hasSuffix("Tests.swift") {
            let name = file.deletingPathExtension().lastPathComponent
            let source = try String(contentsOf: file, encoding: .utf8)
            let parts = Self.parts(of: source)
            var isListed = false
            for part in parts {
                if let reason = part.reason {
                    lines.append("\(name)/\(part.name): \(reason)")
                    isListed = isListed || part.name == name
                } else if part.namesSQLite, !isListed {
                    Issue.record(
                        """
                        \(name)/\(part.name) makes stores of SQLite only. Make them at .temporary, or \
                        say why with .onSQLite("…").
                        """)
                }
            }
        }
        let list = lines.sorted().map { $0 + "\n" }.joined()
        let accepted = Self.folder.appending(path: "SQLiteTests.txt")
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] != nil {
            try Data(list.utf8).write(to: accepted)
        }
        #expect(
            try String(contentsOf: accepted, encoding: .utf8) == list,
            "Accept it with: CAMBIUM_ACCEPT=1 swift test --filter SQLiteTestsTests")
    }
}
