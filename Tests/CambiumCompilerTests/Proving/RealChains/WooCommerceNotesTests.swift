import CambiumPlan
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

/// What the owners of a model say of its steps, beside what the steps are found to be.
@Suite(.enabled(if: Corpus.isPresent && Corpus.isWhole, Corpus.absence))
struct WooCommerceNotesTests {
    /// Steps of another class than the owners' words say, and why.
    static let explained: [String: String] = [
        "Model 27": mapping, "Model 29": mapping, "Model 40": mapping, "Model 43": mapping,
        "Model 32": "the new entity names no former one: only the program's mapping knew that it "
            + "was the old one, so that its objects are dropped here",
        "Model 97": "the custom class makes another type of it, and the archives of before are "
            + "none of its values",
    ]

    private static let mapping =
        "the mapping of the program removed rows without a site, of which the versions say nothing"

    @Test func `the owners' notes agree with the classes, but for what is explained`() throws {
        let notes = try Self.notes()
        #expect(notes.count == RealChain.wooCommerce.steps)
        let steps = RealChain.wooCommerce.compile().steps
        for step in steps {
            let kind = try #require(MigrationKind(rawValue: step.class))
            let said = try #require(notes[step.to], "\(step.to) has no note")
            if Self.explained[step.to] == nil {
                #expect(kind == said, "\(step.to): \(kind), but the notes say \(said)")
            } else {
                #expect(kind != said, "\(step.to) needs no explanation")
            }
        }
    }

    /// The class of each version's step, by the words of its notes.
    private static func notes() throws -> [String: MigrationKind] {
        let file = Corpus.folder.appendingPathComponent(
            "woocommerce-notes/Storage/Storage/Model/MIGRATIONS.md")
        var kinds: [String: MigrationKind] = [:]
        var version: String?
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("## Model ") {
                version = line.dropFirst(3).split(separator: " ").prefix(2)
                    .joined(separator: " ")
                continue
            }
            guard let version, line.contains("- ") else { continue }
            kinds[version] = max(kinds[version] ?? .additive, kind(ofNote: line.lowercased()))
        }
        return kinds
    }

    private static func kind(ofNote note: String) -> MigrationKind {
        func says(_ words: String...) -> Bool { words.contains(where: note.contains) }
        if says("from int16", "from int64", "to `double`", "to set `") { return .needsData }
        if says("removed `", "removed  `", "remove `", "delete `", "to remove ") { return .lossy }
        if says("rename `", "to `statuskey`", "` relationship to `products`", "to be ordered") {
            return .reversible
        }
        if says("as optional", "to be optional") { return .reversible }
        return .additive
    }
}
