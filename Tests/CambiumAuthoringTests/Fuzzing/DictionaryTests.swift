import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

/// The words that the fuzzer of models puts into its inputs.
struct DictionaryTests {
    /// Where what is written by hand starts.
    private static let byHand = "# Values, and what XML is made of.\n"

    /// The words of both languages: elements, XML attributes, and what these may be.
    private var words: String {
        let own = Vocabulary.rules.values
        let xcode = XcodeVocabulary.rules
        let elements = Set(own.map(\.name)).union(xcode.keys)
        let attributes = Set(own.flatMap(\.attributes)).union(xcode.values.flatMap(\.attributes))
        let values = own.flatMap(\.fields).reduce(into: Set(ModelChecker.typeWords)) {
            switch $1.kind {
            case .words(let words): $0.formUnion(words)
            case .flag: $0.formUnion(["true", "false"])
            case .scale: $0.insert("any")
            default: break
            }
        }
        let lines =
            elements.sorted().map { "\"<\($0) \"" }
            + attributes.sorted().map { "\" \($0)=\\\"\"" }
            + values.sorted().flatMap { ["\"\\\"\($0)\\\"\"", "\"\($0)\""] }
        return "# Words of the model language and of Xcode's, written by DictionaryTests.\n"
            + lines.map { $0 + "\n" }.joined()
    }

    @Test func `the fuzzer's dictionary has the words of both languages`() throws {
        let file = TestModels.package.appendingPathComponent("Tests/Fuzzing/Dictionaries/XML.dict")
        let text = try String(contentsOf: file, encoding: .utf8)
        let parts = text.components(separatedBy: Self.byHand)
        try #require(parts.count == 2)
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] != nil {
            try Data((words + Self.byHand + parts[1]).utf8).write(to: file)
        } else {
            #expect(parts[0] == words, "CAMBIUM_ACCEPT=1 writes it")
        }
    }
}
