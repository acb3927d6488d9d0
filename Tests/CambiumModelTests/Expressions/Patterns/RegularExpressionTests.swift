import Testing

@testable import CambiumModel

@Suite struct RegularExpressionTests {
    private func matches(_ text: String, _ pattern: String) throws -> Bool {
        try PatternMatcher(RegularExpression(pattern)).matches(text)
    }

    // MARK: Time

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "(a+)+b", "(a|aa)+b", "(a*)*b", "(a|a?)+b", ".*.*.*.*b", "(?:a++)*b", "(\\w+\\B)*b",
        ])
    func `a pattern without back-references is linear`(_ pattern: String) throws {
        #expect(try RegularExpression(pattern).isLinear)
        #expect(try !matches(String(repeating: "a", count: 20_000), pattern))
        #expect(try matches(String(repeating: "a", count: 20_000) + "b", pattern))
    }

    @Test(.timeLimit(.minutes(10)))
    func `more states than are kept are matched too`() throws {
        var random = SeededGenerator(state: 1)
        let letters = (0..<20_000).map { _ in Bool.random(using: &random) ? "a" : "b" }
        let text = letters.joined()
        for distance in [10, 100] {
            let expected = letters[letters.count - 1 - distance] == "a"
            #expect(try matches(text, "[ab]*a[ab]{\(distance)}") == expected)
        }
    }

    @Test(arguments: [
        ("a(b|c)*d?", true), ("[a-z]{2,5}+x", true), ("\\R\\b^$\\A\\z\\Z\\y", true),
        ("(a)\\1", false), ("(?=a)a", false), ("(?!a)b", false), ("(?>ab|a)b", false),
        ("(ab)++", false), ("\\X", false), ("(?<n>a)\\k<n>", false),
    ])
    func `only some patterns have a budget`(_ pattern: String, _ isLinear: Bool) throws {
        #expect(try RegularExpression(pattern).isLinear == isLinear)
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["(a*)*\\1b", "(a+)+\\1?b", "(?=(a+)+b)a*"])
    func `a match with too many steps is given up`(_ pattern: String) throws {
        let text = String(repeating: "a", count: 40)
        let error = #expect(throws: PatternLimitError.self) { try matches(text, pattern) }
        #expect(error?.pattern == pattern)
        #expect(error?.steps == 1_004_000)
        #expect(try "\(#require(error))".contains("'\(pattern)' stopped after"))
    }

    @Test(.timeLimit(.minutes(10)))
    func `the length of characters counts as steps`() throws {
        let text = "a" + String(repeating: "\u{300}", count: 100_000)
        #expect(throws: PatternLimitError.self) { try matches(text, "[a\u{300}]*\\Xb") }
        #expect(try matches(text, "\\X"))
    }

    @Test func `a match that takes too much memory is given up`() throws {
        let text = String(repeating: "a", count: 100_000)
        let error = #expect(throws: PatternLimitError.self) {
            try matches(text, "(?:(?:(b?)){400}a)*\\1")
        }
        #expect(try #require(error).steps < 6_000_000)
        #expect(try matches(text, "(?:((a))|b)*\\1"))
    }

    @Test func `usual patterns stay far below the budget`() throws {
        let long = String(repeating: "a", count: 10_000)
        #expect(try matches(long + "A1", "(?=.*[A-Z])(?=.*\\d).{8,}"))
        #expect(try matches("aa" + long, "(.)\\1.*"))
        #expect(try matches(long, "(?>a+)"))
    }

    @Test func `a long match is cancelled`() throws {
        for pattern in ["(a|b)*c", "(?=b)c|(a|b)*\\z"] {
            let matcher = PatternMatcher(try RegularExpression(pattern)) { true }
            #expect(throws: CancellationError.self) {
                try matcher.matches(String(repeating: "a", count: 100_000))
            }
            #expect(try !matcher.matches("x"))  // too short to ask
        }
    }

    @Test(arguments: ["(a|b)*c", "(a)\\1"])
    func `a match that takes too many steps is given up`(_ pattern: String) throws {
        let expression = try RegularExpression(pattern)
        var budget = PatternBudget(expression, "a") { false }
        try budget.spend(1_000_000)
        let error = #expect(throws: PatternLimitError.self) {
            for _ in 0..<100 { try budget.spend(1_000_000) }
        }
        #expect(error?.pattern == pattern)
        #expect(error?.steps == (expression.isLinear ? 100_000_000 : 1_000_100))
    }

    // MARK: Size

    @Test(arguments: ["a{100000}", "(a{1000}){1000}", "(((x?){1000}){1000}){1000}"])
    func `repetitions that are too large are refused`(_ pattern: String) {
        let error = #expect(throws: PatternSyntaxError.self) {
            try RegularExpression(pattern)
        }
        #expect(error?.description.contains("more than 32768 steps") == true)
    }

    @Test(arguments: ["&&", "--", "~~"])
    func `a class of too many operations is refused`(_ operation: String) throws {
        let term = "a" + operation
        let error = #expect(throws: PatternSyntaxError.self) {
            try RegularExpression("[" + String(repeating: term, count: 1300) + "a]")
        }
        #expect(error?.description.contains("20 levels") == true)
        _ = try RegularExpression("[" + String(repeating: term, count: 20) + "a]")
    }

    @Test(.timeLimit(.minutes(10)))
    func `other repetitions are matched`() throws {
        #expect(try matches(String(repeating: "ab", count: 2000), ".{0,5000}"))
        #expect(try !matches(String(repeating: "ab", count: 3000), ".{0,5000}"))
        #expect(try matches("", "((?:){1000000000}){1000000000}"))
        #expect(try matches("", "(a{0}){1000000000}"))
    }

    // MARK: Meaning

    /// Of a text with a line end, as other projects' tests have it from macOS.
    @Test(arguments: [".*^b$", "^a$.*", "a$\\nb", "a\\n^b", "a.b", "a[^x]b", "a\\sb"])
    func `lines are matched as on macOS`(_ pattern: String) throws {
        #expect(try matches("a\nb", pattern))
    }

    @Test(arguments: ["a", "^a$", "a$", "^b", "(?-s)a.b", "(?-m)a$\\nb", "(?-m)a\\n^b", "a\\z\\nb"])
    func `the whole text is matched`(_ pattern: String) throws {
        #expect(try !matches("a\nb", pattern))
    }

    @Test func `a possessive repetition gives nothing back`() throws {
        #expect(try !matches("aab", "a++ab"))
        #expect(try matches("aab", "a++b"))
        #expect(try !matches("aa", "a{1,2}+a"))
        #expect(try matches("aaa", "a{1,2}+a"))
        #expect(try !matches("abab", "(ab)*+ab"))
        #expect(try !matches("a", "a?+a"))
    }

    @Test func `an empty round counts among those that are required`() throws {
        #expect(try matches("ca", "(?:\\A.*?){2,}"))
        #expect(try matches("a", "(?:\\Aa??){3,}"))
        #expect(try !matches("ab", "(?:\\Aa??){2,}"))
    }

    @Test func `texts that look alike are not equal`() throws {
        #expect(try matches("é", "é") && !matches("e\u{301}", "é"))
        #expect(try matches("e\u{301}", "e\u{301}") && !matches("é", "e\u{301}"))
        #expect(try matches("e\u{301}e\u{301}", "e\u{301}+"))
    }

    @Test(arguments: [
        ("(", "a group has no ')'"), (")", "')' closes no group"), ("[a", "a class has no ']'"),
        ("*a", "there is nothing that '*' could repeat"), ("a\\", "a backslash ends it"),
        ("a**", "there is nothing that '*' could repeat"),
        ("a{2}{3}", "there is nothing that '{' could repeat"),
        ("\\b+", "an assertion cannot be repeated"), ("\\1", "there is no group '1'"),
        ("(?<n>a)(?<n>b)", "two groups are named 'n'"), ("\\k<m>", "there is no group 'm'"),
        ("(?<=a)b", "look-behind is not supported"),
        ("a{3,2}", "a repetition has the bounds 3 and 2"),
        ("\\i", "'\\i' is not supported"), ("(?J)a", "'(?J' is not supported"),
    ])
    func `what is no regular expression is explained`(_ pattern: String, _ reason: String) {
        let error = #expect(throws: PatternSyntaxError.self) {
            try RegularExpression(pattern)
        }
        #expect(error?.description == reason)
    }
}
