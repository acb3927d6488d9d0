import CambiumModel
import Foundation
import Testing

/// The standard library's `Regex`, with the options of MATCHES, says the same of random patterns and
/// texts.
///
/// Left out is what it does otherwise than ICU: possessive repetitions; at least two rounds of a group,
/// which it ends after an empty one, as `(?:\A.*?){2,}` on "a", and so lazy rounds that a
/// back-reference makes differ, as `(|a\1)+?` on "a"; and `\w` and its like at CR LF and at
/// combining marks, which it takes together with the scalar before even where it matches by scalars.
@Suite struct PatternDifferentialTests {
    private static let atoms = [
        "a", "b", "c", "A", "é", "\n", "1", " ", "-", ".", "^", "$", "[ab]", "[^a]", "\\w", "\\d",
        "\\s", "\\W", "\\S", "\\b", "\\B", "\\A", "\\z", "\\Z", "\\R", "\\X", "\\h", "\\v", "\\y",
        "\\p{Lu}", "[[:alpha:]&&[^b]]", "[a--b]", "\\Qa.b\\E", "\\Y", "\\x61", "\\u{61 62}", "k",
        "K",
        "ß", "(?i)", "(?-s)", "(?-m)", "'", "\u{85}", "\\1", "\\2", "(?x) a #c\n", "(?-x)", "\\i",
        "(?n)", "(?U)", "\\G", "(?#x)", "{", "{2}", "]", "(?i:k)", "(?-i)", "\\07", "*",
    ]
    private static let groups = ["(", "(?:", "(?>", "(?=", "(?!", "(?<n>", "(?i:", "(?s-i:"]
    private static let groupAmounts = [
        "*", "+", "?", "{2}", "{1,2}", "{,1}", "*?", "+?", "??", "{ 0,1 }",
    ]
    private static let atomAmounts = groupAmounts + ["{2,}"]
    /// Without the Kelvin sign (U+212A): before it, the standard library takes `1` for `\W`, and it
    /// is `(?i:k)` there and not `(?i:k{1})`.
    private static let letters = [
        "a", "a", "b", "b", "c", "A", "é", "\n", "1", " ", "-", "k", "K", "ß", "'", ".",
        "\u{85}", "x", "\u{7}",
    ]

    @Test(.timeLimit(.minutes(10)))
    func `random patterns match as those of the standard library`() throws {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0..<1_000_000)
        let seconds = environment["CAMBIUM_GENERATOR_SECONDS"].flatMap(Double.init) ?? 1
        print("patterns: CAMBIUM_SEED=\(seed)")
        var random = SeededGenerator(state: seed)
        let end = ContinuousClock.now + .seconds(seconds)
        var (count, found) = (0, 0)
        while ContinuousClock.now < end {
            let pattern = Self.pattern(3, &random)
            let other = try? Regex(pattern).matchingSemantics(.unicodeScalar)
                .dotMatchesNewlines().anchorsMatchLineEndings()
            let own = try? RegularExpression(pattern)
            guard (own == nil) == (other == nil) else {
                Issue.record("\(pattern.debugDescription) seed \(seed): \(String(describing: own))")
                return
            }
            guard let own, let other else { continue }
            let matcher = PatternMatcher(own)
            for _ in 0..<8 {
                let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    Self.letters.randomElement(using: &random) ?? ""
                }.joined()
                // A few tiny texts take more steps than there are.
                guard let result = try? matcher.matches(text) else { continue }
                count += 1
                found += result ? 1 : 0
                guard try (other.wholeMatch(in: text) != nil) == result else {
                    Issue.record(
                        "\(pattern.debugDescription) on \(text.debugDescription) seed \(seed)")
                    return
                }
            }
        }
        print("patterns: \(count) compared, \(found) matches")
        #expect(found > 0)
    }

    private static func pattern(_ depth: Int, _ random: inout SeededGenerator) -> String {
        var pattern = ""
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            var amounts = atomAmounts
            if depth > 0, Int.random(in: 0..<3, using: &random) == 0 {
                let body = self.pattern(depth - 1, &random)
                let refersBack = body.contains("\\1") || body.contains("\\2")
                amounts = groupAmounts.filter { !refersBack || ($0 != "*?" && $0 != "+?") }
                pattern += groups.randomElement(using: &random) ?? "("
                pattern += body + ")"
            } else if Bool.random(using: &random) {
                pattern += ["a", "b", "."].randomElement(using: &random) ?? "a"
            } else {
                pattern += atoms.randomElement(using: &random) ?? "a"
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                pattern += amounts.randomElement(using: &random) ?? "*"
            }
            if Int.random(in: 0..<8, using: &random) == 0 { pattern += "|" }
        }
        return pattern
    }
}
