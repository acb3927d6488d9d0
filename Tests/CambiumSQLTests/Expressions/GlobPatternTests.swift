import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

@Suite struct GlobPatternTests {
    @Test(arguments: [
        (
            "[A-Z]{2}-[0-9]+",
            #"("c" GLOB '[A-Z][A-Z]-[0-9]*' AND substr("c", 4) NOT GLOB '*[^0-9]*')"#
        ),
        (
            "[a-z0-9][a-z0-9+.-]+",
            #"("c" GLOB '[a-z0-9][a-z0-9+.-]*' "#
                + #"AND substr("c", 2) NOT GLOB '*[^a-z0-9+.-]*')"#
        ),
        ("^a\\.b$", #""c" GLOB 'a.b'"#),
        ("a{2,3}", #"("c" GLOB 'aa*' AND substr("c", 1) NOT GLOB '*[^a]*' AND length("c") <= 3)"#),
    ])
    func `a simple pattern becomes a GLOB`(_ pattern: String, _ expected: String) {
        #expect(GlobPattern(regularExpression: pattern)?.condition(on: "\"c\"") == expected)
    }

    @Test(arguments: [
        "a|b", "(ab)+", ".", "\\d", "[0-9]+-[0-9]+", "a+?", "[a-z&&[b]]", "a{1000}", "[", "é",
        "[\\w]", "a{2", "[a--b]", "[^-a]", "a++", "\\bword",
    ])
    func `any other pattern has no GLOB`(_ pattern: String) {
        #expect(GlobPattern(regularExpression: pattern) == nil)
    }

    @Test(arguments: [
        "[ab]{2}-[a]*", "a?", "b[^a]+", "[a-b]", "a-b", "ab{0,2}", "-+", "[ab]{2,}", "a{2}",
        "[ab-]*", "", "a{0}b", "^a$", "^[^a]b$", "[^a]{2}", "^a-[^b]*$",
    ])
    func `a GLOB matches what the regular expression matches`(_ pattern: String) throws {
        let glob = try #require(GlobPattern(regularExpression: pattern))
        let matcher = PatternMatcher(try RegularExpression(pattern))
        let connection = try Connection(path: ":memory:")
        let sql = "SELECT \(glob.condition(on: "c")) FROM (SELECT ? AS c)"
        for text in Self.texts {
            let matches = try matcher.matches(text)
            #expect(
                try connection.rows(sql, [.text(text)]) == [[.integer(matches ? 1 : 0)]], "\(text)")
        }
    }

    /// All texts of up to four of these characters.
    private static let texts: [String] = (0..<4).reduce([""]) { texts, _ in
        texts + texts.flatMap { text in ["a", "b", "-", "é", "\n"].map { text + $0 } }
    }.reduce(into: []) { unique, text in
        if !unique.contains(text) { unique.append(text) }
    }
}
