import Testing

@testable import CambiumCompiler

@Suite("Text becomes one token that means the text")
struct SwiftTextTests {
    /// What ends, escapes, or looks like the end of a literal, and some of everything else.
    private static let alphabet: [String] = ["\"", "\\", "#", "\n", "(", " ", "u{41}", "\r", "é"]

    /// All texts of up to four elements of the alphabet.
    private static var texts: [String] {
        var texts = [""]
        var longest = [""]
        for _ in 0..<4 {
            longest = longest.flatMap { text in alphabet.map { text + $0 } }
            texts += longest
        }
        return texts
    }

    @Test("A literal reads back as its text")
    func literal() throws {
        for text in Self.texts {
            try check(SwiftText.literal(text), text)
        }
    }

    @Test("A raw literal reads back as its text")
    func rawLiteral() throws {
        for text in Self.texts {
            try check(SwiftText.rawLiteral(text), text)
        }
    }

    @Test("A literal of several lines reads back as its text, wherever it is broken")
    func rawLines() throws {
        for text in Self.texts {
            let lines = SwiftText.rawLines(text, width: 5)
            try check(lines.joined(separator: "\n"), text)
            let indented = lines.map { $0.isEmpty ? "" : "    " + $0 }
            try check(indented.joined(separator: "\n"), text)
        }
    }

    @Test("Lines of a long literal are not longer than the width")
    func width() {
        let text = (0..<500).map { "word\($0)" }.joined(separator: " ")
        let lines = SwiftText.rawLines(text, width: 60)
        #expect(lines.allSatisfy { $0.count <= 60 })
        #expect(lines.count < 100)
    }

    private func check(_ code: String, _ text: String) throws {
        let tokens = try SwiftTokenizer.tokens(of: code)
        guard tokens.count == 1, case .string(let value) = tokens[0],
            value.unicodeScalars.elementsEqual(text.unicodeScalars)
        else {
            Issue.record("\(code) reads as \(tokens), and the text is \(text.debugDescription)")
            return
        }
    }

    @Test(
        "A keyword is put in back-ticks",
        arguments: ["class", "default", "init", "in", "self", "Type", "Self", "repeat", "is"])
    func keyword(name: String) {
        #expect(SwiftText.identifier(name) == "`\(name)`")
    }

    @Test(
        "What is not an identifier becomes one",
        arguments: [
            ("a b", "a_u20_b"), ("", "_u_"), ("_", "_u_"), ("1st", "_u31_st"),
            ("`x`", "_u60_x_u60_"),
            ("größe", "größe"), ("😀", "_u1F600_"), ("plain", "plain"),
        ])
    func identifier(name: String, expected: String) {
        #expect(SwiftText.identifier(name) == expected)
    }

    @Test("A comment has one line, whatever the text")
    func comment() {
        let ends = "\n\r\r\n\u{B}\u{C}\u{85}\u{2028}\u{2029}\0\u{202E}"
        let comment = SwiftText.comment("a\(ends)b */ /* c")
        #expect(
            comment == #"a\u{A}\u{D}\u{D}\u{A}\u{B}\u{C}\u{85}\u{2028}\u{2029}\u{0}\u{202E}b"#
                + " */ /* c")
    }
}
